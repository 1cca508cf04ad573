package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.RunningBilling;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/// Instances of billing that are killed while they read reports from a real broker: processes of
/// their own.
class KilledInstanceTest extends QueueTest {
  /// Time for a rebalance, and to read and post a batch, on a busy machine.
  private static final Duration MARGIN = Duration.ofSeconds(20);

  /// Time after which the test no longer waits for what it requires to come earlier.
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @Test
  void aProcessThatIsKilledInTheMiddleLosesAndDoublesNothing() throws Exception {
    RunningBilling billing = start();
    String operator = billing.operator();
    List<String> accounts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      accounts.add(account + "-" + i);
      billing.openAccount(operator, accounts.getLast());
    }
    instances.clear();
    billing.close();
    for (String payer : accounts) {
      String session = UUID.randomUUID().toString();
      for (int sequence = 0; sequence < 8; sequence++) {
        write(queued(session, sequence, payer), payer);
      }
    }
    Path configuration = folder.resolve("billing-0").resolve("billing.yml");
    for (int posted : new int[] {1, 40}) {
      Process process = process(configuration);
      try {
        await()
            .atMost(Duration.ofMinutes(2))
            .pollInterval(Duration.ofMillis(5))
            .until(
                () -> accounts.stream().mapToLong(each -> -balance(each)).sum() >= posted * PRICE);
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
    start();
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(() ->
            assertThat(accounts)
                .allSatisfy(payer -> assertThat(balance(payer)).isEqualTo(-8 * PRICE)));
    await().atMost(Duration.ofSeconds(60)).until(() -> answered().size() == 80);
    assertThat(verdicts()).containsOnly(ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void theOthersTakeThePartitionsOfOneOfThreeProcessesThatIsKilledUnderLoad() throws Exception {
    RunningBilling billing = start();
    List<String> accounts = openAccountsOfEachPartition(billing);
    instances.clear();
    billing.close();
    Path configuration = folder.resolve("billing-0").resolve("billing.yml");
    List<Process> processes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        processes.add(process(configuration));
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .ignoreExceptionsInstanceOf(ExecutionException.class) // no group yet
          .until(() -> sizes(members()).equals(List.of(2, 2, 2)));
      Map<String, Set<TopicPartition>> before = members();
      int written = 0;
      written += writeOneOfEach(accounts);
      await().atMost(Duration.ofMinutes(1)).until(() -> unread() == 0);
      assertThat(members()).as("each has had the records of its partitions").isEqualTo(before);

      written += writeOneOfEach(accounts); // some are being posted now
      processes.removeFirst().destroyForcibly().waitFor();
      Map<TopicPartition, Long> atItsEnd = committed();
      long killed = System.nanoTime();
      do {
        written += writeOneOfEach(accounts);
      } while (!isTakenOver(atItsEnd) && System.nanoTime() - killed < PATIENCE.toNanos());
      Duration gone = Duration.ofNanos(System.nanoTime() - killed);
      assertThat(sizes(members())).as("partitions of each that is left").containsExactly(3, 3);
      assertThat(gone).isLessThan(TAKE_OVER.plus(MARGIN));

      int each = written;
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() ->
              assertThat(accounts)
                  .allSatisfy(payer -> assertThat(balance(payer)).isEqualTo(-each * PRICE)));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> answered().size() == each * accounts.size());
      assertThat(verdicts()).isSubsetOf(ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED);
    } finally {
      for (Process process : processes) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  /// Writes a report of each account, of another minute at each call: so no account comes to the
  /// bound of its charges in a minute.
  private int writeOneOfEach(List<String> accounts) throws Exception {
    for (String payer : accounts) {
      write(queued(UUID.randomUUID().toString(), 0, payer), payer);
    }
    clock.advance(Duration.ofMinutes(-1));
    return 1;
  }

  /// Returns true if two members have all partitions, and have read more of each.
  private boolean isTakenOver(Map<TopicPartition, Long> before) throws Exception {
    Map<TopicPartition, Long> now = committed();
    return sizes(members()).equals(List.of(3, 3))
        && before.entrySet().stream().allMatch(each -> now.get(each.getKey()) > each.getValue());
  }

  /// Returns the members of the group with their partitions.
  private Map<String, Set<TopicPartition>> members() throws Exception {
    try (Admin admin = admin()) {
      return admin
          .describeConsumerGroups(List.of(group()))
          .describedGroups()
          .get(group())
          .get()
          .members()
          .stream()
          .collect(
              Collectors.toMap(
                  MemberDescription::consumerId,
                  member -> Set.copyOf(member.assignment().topicPartitions())));
    }
  }

  private static List<Integer> sizes(Map<String, Set<TopicPartition>> members) {
    return members.values().stream().map(Set::size).toList();
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", broker.address()));
  }

  /// Returns the offset of each partition until which the group has read.
  private Map<TopicPartition, Long> committed() throws Exception {
    try (Admin admin = admin()) {
      Map<TopicPartition, Long> offsets = new HashMap<>();
      admin
          .listConsumerGroupOffsets(group())
          .partitionsToOffsetAndMetadata()
          .get()
          .forEach((partition, offset) -> offsets.put(partition, offset.offset()));
      return offsets;
    }
  }

  /// Returns how many records the group has not read.
  private long unread() throws Exception {
    Map<TopicPartition, Long> read = committed();
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      ends.put(new TopicPartition(reports, i), OffsetSpec.latest());
    }
    try (Admin admin = admin()) {
      return admin.listOffsets(ends).all().get().entrySet().stream()
          .mapToLong(end -> end.getValue().offset() - read.getOrDefault(end.getKey(), 0L))
          .sum();
    }
  }

  private Process process(Path configuration) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "io.viaduct.billing.BillingCommand",
            "run",
            "--config",
            configuration.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("output").toFile()))
        .start();
  }

  /// Returns the reports that have a verdict, each once.
  private Set<String> answered() throws Exception {
    Set<String> all = new HashSet<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(verdicts)) {
      ReportAck ack = ReportAck.parseFrom(record.value());
      all.add(ack.getSessionId() + " " + ack.getSequence());
    }
    return all;
  }
}
