package io.viaduct.service.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.broker.BrokerSettings.Security;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The settings against a real broker with TLS, client certificates and the ACLs of
/// docs/operator.md.
@Timeout(180)
class SecuredBrokerTest {
  @TempDir private static Path folder;
  private static TestAuthority authority;
  private static TestBroker broker;

  @BeforeAll
  static void start() throws Exception {
    authority = new TestAuthority(folder.resolve("authority"));
    broker = TestBroker.startSecured(folder.resolve("kafka"), authority.issue("kafka"), "admin");
    try (Admin admin = Admin.create(properties("admin"))) {
      List<NewTopic> topics = new ArrayList<>();
      for (String topic : List.of("viaduct-reports", "viaduct-verdicts", "viaduct-charges")) {
        topics.add(new NewTopic(topic, 1, (short) 1));
      }
      admin.createTopics(topics).all().get();
      admin
          .createAcls(
              List.of(
                  allow("ims-bridge", AclOperation.WRITE, "viaduct-reports"),
                  allow("ims-bridge", AclOperation.READ, "viaduct-verdicts"),
                  allow("danum-billing", AclOperation.READ, "viaduct-reports"),
                  allow("danum-billing", AclOperation.WRITE, "viaduct-verdicts"),
                  allow("danum-billing", AclOperation.WRITE, "viaduct-charges"),
                  allow("invoices", AclOperation.READ, "viaduct-charges")))
          .all()
          .get();
    }
  }

  @AfterAll
  static void stop() throws Exception {
    broker.close();
  }

  private static AclBinding allow(String name, AclOperation operation, String topic) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:" + name, "*", operation, AclPermissionType.ALLOW));
  }

  private static Map<String, Object> properties(String name) throws Exception {
    TlsSettings tls = authority.issue(name);
    Map<String, Object> properties =
        new HashMap<>(
            new BrokerSettings(List.of(broker.address()), Security.TLS, "", "").properties(tls));
    properties.put("default.api.timeout.ms", 30_000);
    return properties;
  }

  private static void write(String name, String topic) throws Exception {
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(
            properties(name), new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, new byte[1])).get();
    }
  }

  private static int read(String name, String topic) throws Exception {
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            properties(name), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      int records = 0;
      while (consumer.position(partition)
          < consumer.endOffsets(List.of(partition)).get(partition)) {
        records += consumer.poll(Duration.ofMillis(200)).count();
      }
      return records;
    }
  }

  @Test
  void eachProgramDoesWhatItMustByTheNameInItsCertificate() throws Exception {
    write("ims-bridge", "viaduct-reports");
    assertThat(read("danum-billing", "viaduct-reports")).isEqualTo(1);
    write("danum-billing", "viaduct-verdicts");
    assertThat(read("ims-bridge", "viaduct-verdicts")).isEqualTo(1);
    write("danum-billing", "viaduct-charges");
    assertThat(read("invoices", "viaduct-charges")).isEqualTo(1);
  }

  @Test
  void nobodyElseReadsChargesOrWritesReports() {
    for (String name : List.of("ims-bridge", "snapt-1", "alice")) {
      assertThatThrownBy(() -> read(name, "viaduct-charges"))
          .as(name)
          .isInstanceOf(TopicAuthorizationException.class);
    }
    for (String name : List.of("danum-billing", "invoices", "alice")) {
      assertThatThrownBy(() -> write(name, "viaduct-reports"))
          .as(name)
          .hasCauseInstanceOf(TopicAuthorizationException.class);
    }
    assertThatThrownBy(() -> read("alice", "viaduct-reports"))
        .isInstanceOf(TopicAuthorizationException.class);
  }
}
