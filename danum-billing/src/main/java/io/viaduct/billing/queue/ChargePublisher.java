package io.viaduct.billing.queue;

import io.viaduct.billing.database.Outbox;
import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.usage.v1.ChargeState;
import io.viaduct.usage.v1.PublishedCharge;
import io.viaduct.usage.v1.ServiceClass;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Publishes the charges of the outbox, oldest first, and deletes them when the broker has them.
/// One instance at a time holds the outbox's lock. A charge is published twice if that instance
/// dies between both.
final class ChargePublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ChargePublisher.class);

  private static final long LOCK = 0x76696164_63686172L; // any number that nothing else takes

  private static final String SELECT =
      """
      select o.id as outbox, o.state as outbox_state, o.revision, c.id, c.account, c.flow, c.application, c.service_class,
        c.pre_bytes, c.post_bytes, i.snapt_id, i.session_id, i.epoch, i.sequence, i.started_at as from_at, i.ended_at as to_at,
        coalesce(v.tariff_version, i.tariff_version) as tariff_version,
        coalesce(v.charge_microdenarii, c.charge_microdenarii) as charge_microdenarii,
        coalesce(v.discount_microdenarii, c.discount_microdenarii) as discount_microdenarii,
        coalesce(v.reward_microdenarii, c.reward_microdenarii) as reward_microdenarii,
        coalesce(v.access_fee_microdenarii, c.access_fee_microdenarii) as access_fee_microdenarii,
        coalesce(v.surcharge_microdenarii, c.surcharge_microdenarii) as surcharge_microdenarii,
        coalesce(v.refund_microdenarii, c.refund_microdenarii) as refund_microdenarii
      from charge_outbox o join charge c on c.id = o.charge_id join charging_interval i on i.id = c.interval_id
        left join charge_revision v on (v.charge_id, v.revision) = (c.id, o.revision)
      order by o.id limit ?
      """;

  private final JdbcClient jdbc;
  private final Outbox outbox;
  private final RecordWriter writer;
  private final String topic;
  private final InstantSource clock;
  private final QueueMeters meters;
  private boolean isAway; // of the thread that publishes

  ChargePublisher(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      RecordWriter writer,
      String topic,
      InstantSource clock,
      QueueMeters meters) {
    this.jdbc = jdbc;
    this.outbox = new Outbox(transaction, jdbc, "charge_outbox", LOCK);
    this.writer = writer;
    this.topic = topic;
    this.clock = clock;
    this.meters = meters;
  }

  /// Lets the database write an outbox, or not. All instances have the same configuration.
  static void enable(JdbcClient jdbc, boolean isEnabled) {
    jdbc.sql(
            isEnabled
                ? "insert into charge_publication (enabled) values (true) on conflict do nothing"
                : "delete from charge_publication")
        .update();
  }

  /// Publishes all charges that wait. Charges that the broker does not take stay.
  void publish() {
    try {
      outbox.drain(this::pass);
      isAway = false;
    } catch (KafkaException e) {
      if (!isAway) {
        LOG.warn("charges cannot be published now, trying again: {}", e.toString());
      }
      isAway = true;
    }
    meters.unpublished.set(outbox.waiting());
  }

  private List<Long> pass(int limit) {
    List<Waiting> waiting = jdbc.sql(SELECT).param(limit).query((row, _) -> read(row)).list();
    if (!waiting.isEmpty()) {
      writer.write(waiting.stream().map(each -> record(each.charge())).toList());
      meters.published(waiting.size());
    }
    return waiting.stream().map(Waiting::id).toList();
  }

  private record Waiting(long id, PublishedCharge charge) {}

  private ProducerRecord<byte[], byte[]> record(PublishedCharge charge) {
    return new ProducerRecord<>(
        topic, charge.getAccount().getBytes(StandardCharsets.UTF_8), charge.toByteArray());
  }

  private Waiting read(ResultSet row) throws SQLException {
    BillLines lines = BillColumns.read(row);
    ChargeState state = ChargeState.valueOf("CHARGE_" + row.getString("outbox_state"));
    return new Waiting(
        row.getLong("outbox"),
        PublishedCharge.newBuilder()
            .setCharge(row.getLong("id"))
            .setAccount(row.getString("account"))
            .setSnaptId(row.getString("snapt_id"))
            .setSessionId(row.getString("session_id"))
            .setEpoch(row.getLong("epoch"))
            .setSequence(row.getLong("sequence"))
            .setFlow(Math.toIntExact(row.getLong("flow")))
            .setStartMs(row.getTimestamp("from_at").getTime())
            .setEndMs(row.getTimestamp("to_at").getTime())
            .setApplication(row.getString("application"))
            .setServiceClass(ServiceClass.valueOf(row.getString("service_class")))
            .setPreBytes(row.getLong("pre_bytes"))
            .setPostBytes(row.getLong("post_bytes"))
            .setChargeMicrodenarii(lines.charge().value())
            .setDiscountMicrodenarii(lines.discount().value())
            .setAccessFeeMicrodenarii(lines.accessFee().value())
            .setSurchargeMicrodenarii(lines.surcharge().value())
            .setPromiseRefundMicrodenarii(lines.refund().value())
            .setNetMicrodenarii(state == ChargeState.CHARGE_VOID ? 0 : lines.net().value())
            .setTariffVersion(row.getInt("tariff_version"))
            .setState(state)
            .setPublishedMs(clock.millis())
            .setRevision(row.getInt("revision"))
            .build());
  }
}
