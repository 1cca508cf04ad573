package io.viaduct.billingbench;

import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.service.broker.TestBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/// A real broker, a PostgreSQL, and instances of danum-billing that take their reports from topics.
/// Each consumer group has topics of its own. Broker and PostgreSQL are no child processes of an
/// instance, so a limit of an instance is none of them.
final class QueuedBilling implements AutoCloseable {
  // As the operator's guide makes them: more partitions than instances.
  private static final int PARTITIONS = 12;
  private static final int VERDICT_PARTITIONS = 3;

  private static final Duration GROUP_WAIT_MAX = Duration.ofMinutes(2);

  private final BillingFiles files;
  private final EmbeddedDatabase postgres;
  private final TestBroker broker;
  private final List<BillingProcess> instances = new ArrayList<>();

  private QueuedBilling(BillingFiles files, EmbeddedDatabase postgres, TestBroker broker) {
    this.files = files;
    this.postgres = postgres;
    this.broker = broker;
  }

  /// Starts PostgreSQL and the broker.
  ///
  /// @param root of the clone with the programs
  /// @param directory its database and log; what the broker has is of this run only
  static QueuedBilling start(Path root, Path directory) throws Exception {
    BillingFiles files = BillingFiles.make(root, directory);
    EmbeddedDatabase postgres =
        EmbeddedDatabase.start(
            directory.resolve("database"), files.postgres(), EmbeddedDatabase.Durability.DURABLE);
    try {
      TestBroker broker = TestBroker.start(files.run().resolve("broker"));
      return new QueuedBilling(files, postgres, broker);
    } catch (Exception e) {
      postgres.close();
      throw e;
    }
  }

  /// Makes the topics of a group.
  QueueLoad load(String group) throws Exception {
    broker.create("reports-" + group, PARTITIONS);
    broker.create("verdicts-" + group, VERDICT_PARTITIONS);
    return new QueueLoad(broker.address(), "reports-" + group, "verdicts-" + group);
  }

  /// Starts instances of a group, and waits until each of them has its share of the partitions.
  ///
  /// @param more lines of their configuration
  List<BillingProcess> join(String group, int count, String more) throws Exception {
    String kafka =
        """
        kafka:
          broker: {bootstrap: ["%s"], security: plaintext}
          reports: reports-%3$s
          verdicts: verdicts-%3$s
          group: %3$s
        %2$s
        """
            .formatted(broker.address(), more, group);
    List<BillingProcess> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      members.add(start(group + "-" + i, kafka));
    }
    await(group, count);
    return members;
  }

  /// Starts an instance that reads from no topic.
  ///
  /// @param more lines of its configuration
  BillingProcess start(String name, String more) throws IOException {
    DatabaseAccess access = postgres.access();
    BillingProcess instance =
        BillingProcess.start(
            files,
            name,
            BillingProcess.Times.WITHOUT_SETTLEMENT,
            "database: {url: \"%s\", user: %s, password-file: %s, owner-user: %s, owner-password-file: %3$s}%n%s"
                .formatted(
                    access.application().url(),
                    access.application().user(),
                    files.directory().resolve("database/password"),
                    access.owner().user(),
                    more));
    instances.add(instance);
    return instance;
  }

  private void await(String group, int count)
      throws InterruptedException, ExecutionException, IOException {
    long endNs = System.nanoTime() + GROUP_WAIT_MAX.toNanos();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      while (!isShared(admin, group, count)) {
        if (System.nanoTime() - endNs > 0) {
          throw new IOException("the instances of group " + group + " do not share its partitions");
        }
        LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      }
    }
  }

  private static boolean isShared(Admin admin, String group, int count)
      throws InterruptedException, ExecutionException {
    try {
      return admin.describeConsumerGroups(List.of(group)).all().get().values().stream()
          .anyMatch(described -> isShared(described, count));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return false; // no instance has joined yet
      }
      throw e;
    }
  }

  private static boolean isShared(ConsumerGroupDescription group, int count) {
    return group.groupState() == GroupState.STABLE
        && group.members().size() == count
        && group.members().stream()
            .allMatch(member -> member.assignment().topicPartitions().size() == PARTITIONS / count);
  }

  BillingDatabase database() {
    return new BillingDatabase(postgres.access().owner());
  }

  /// Stops the instances, as SIGTERM does.
  void leave() throws InterruptedException {
    for (BillingProcess instance : instances) {
      instance.close();
    }
    instances.clear();
  }

  @Override
  public void close() throws InterruptedException {
    try {
      leave();
      broker.close();
    } finally {
      postgres.close();
    }
  }
}
