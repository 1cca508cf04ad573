package io.viaduct.billing.provisioning;

import com.google.protobuf.ByteString;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.usage.v1.CreditNotice;
import io.viaduct.usage.v1.CreditState;
import io.viaduct.usage.v1.Subscriber;
import io.viaduct.usage.v1.SubscriberEvent;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads subscribers: users whose account is not closed and who have SIP credentials for the
/// domain, or a card.
final class Subscribers implements DirectoryWatch.Directory<SubscriberEvent> {
  private static final String SELECT =
      "select a.state, a.id, c.realm, c.key_id, c.ha1_sha256, c.ha1_md5,"
          + " array(select d.public_key from device d where d.account = a.id order by d.added_at),"
          + " m.state, coalesce(m.low_microdenarii, :low), n.id, n.state, n.credit_microdenarii, n.noticed_at,"
          + " k.key_id, k.k_secret, k.opc_secret, k.amf,"
          + " array(select s.address from sip_address s where s.account = a.id order by s.address)"
          + " from account a left join sip_credential c on c.account = a.id and c.realm = :realm"
          + " left join sip_card k on k.account = a.id"
          + " join credit_account m on m.account = a.id"
          + " left join lateral (select * from credit_notice where account = a.id"
          + "   and state in ('SUFFICIENT', 'LOW', 'EXHAUSTED') order by id desc limit 1) n on true"
          + " where a.state <> 'closed' and (c.account is not null or k.account is not null) ";

  private static final Ha1 NO_PASSWORD = new Ha1(null, null);

  private final JdbcClient jdbc;
  private final SipCredentials credentials;
  private final Cards cards;
  private final MicroDenarii low;

  /// @param low credit below it is low for a user without a threshold of the own
  Subscribers(JdbcClient jdbc, SipCredentials credentials, Cards cards, MicroDenarii low) {
    this.jdbc = jdbc;
    this.credentials = credentials;
    this.cards = cards;
    this.low = low;
  }

  /// Returns the current state of one subscriber; empty if there is none.
  Optional<Subscriber> find(String account) {
    return jdbc.sql(SELECT + "and a.id = :account")
        .param("realm", credentials.realm())
        .param("low", low.value())
        .param("account", account)
        .query((row, _) -> read(row))
        .optional();
  }

  @Override
  public String name() {
    return "subscribers";
  }

  @Override
  public SequencedMap<String, SubscriberEvent> page(String after, int limit) {
    SequencedMap<String, SubscriberEvent> page = new LinkedHashMap<>();
    jdbc.sql(SELECT + "and a.id > :after collate \"C\" order by a.id collate \"C\" limit :limit")
        .param("realm", credentials.realm())
        .param("low", low.value())
        .param("after", after)
        .param("limit", limit)
        .query((row, _) -> read(row))
        .list()
        .forEach(each -> page.put(each.getAccount(), event(each)));
    return page;
  }

  @Override
  public SubscriberEvent event(String account) {
    return find(account)
        .map(Subscribers::event)
        .orElseGet(() -> SubscriberEvent.newBuilder().setRemoved(account).build());
  }

  @Override
  public SubscriberEvent complete() {
    return SubscriberEvent.newBuilder().setComplete(true).build();
  }

  private static SubscriberEvent event(Subscriber subscriber) {
    return SubscriberEvent.newBuilder().setSubscriber(subscriber).build();
  }

  private Subscriber read(ResultSet row) throws SQLException {
    Ha1 ha1 = row.getString(4) == null ? NO_PASSWORD : credentials.ha1(row, 2);
    Subscriber.Builder subscriber =
        Subscriber.newBuilder()
            .setAccount(row.getString(2))
            .setSuspended(row.getString(1).equals("suspended"))
            .setHa1Sha256(bytes(ha1.sha256()))
            .setHa1Md5(bytes(ha1.md5()))
            .setCredit(CreditState.valueOf(row.getString(8)));
    Array keys = row.getArray(7);
    for (byte[] key : (byte[][]) keys.getArray()) {
      subscriber.addDeviceKeys(ByteString.copyFrom(key));
    }
    if (row.getString(11) != null) {
      subscriber.setNotice(
          CreditNotice.newBuilder()
              .setId(row.getLong(10))
              .setState(CreditState.valueOf(row.getString(11)))
              .setCreditMicrodenarii(row.getLong(12))
              .setThresholdMicrodenarii(row.getLong(9))
              .setNoticedMs(row.getTimestamp(13).getTime()));
    }
    subscriber.addAllAddresses(List.of((String[]) row.getArray(18).getArray()));
    if (row.getString(14) != null) {
      Card card = cards.card(row.getString(2), row, 14);
      subscriber.setCard(
          io.viaduct.usage.v1.Card.newBuilder()
              .setK(bytes(card.k()))
              .setOpc(bytes(card.opc()))
              .setAmf(bytes(card.amf())));
    }
    return subscriber.build();
  }

  private static ByteString bytes(byte @Nullable [] given) {
    return given == null ? ByteString.EMPTY : ByteString.copyFrom(given);
  }
}
