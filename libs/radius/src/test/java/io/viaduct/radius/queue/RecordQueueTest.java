package io.viaduct.radius.queue;

import static io.viaduct.radius.message.Packets.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.radius.RawSocket;
import io.viaduct.radius.RawSocket.Datagram;
import io.viaduct.radius.SettableClock;
import io.viaduct.radius.client.AccountingClient;
import io.viaduct.radius.client.ClientSettings;
import io.viaduct.radius.client.ClientSettings.Server;
import io.viaduct.radius.message.Packets;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.service.storage.QueueSettings;
import io.viaduct.service.storage.QueueStatistics.Fate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RecordQueueTest {
  @TempDir Path directory;

  private AccountingClient client(RawSocket server) throws Exception {
    return AccountingClient.start(
        new ClientSettings(
            List.of(new Server(server.address(), SECRET)), Duration.ofMillis(100), 1),
        Packets.DICTIONARY,
        new RadiusStatistics(),
        new SettableClock());
  }

  private RecordQueue queue(AccountingClient client) throws Exception {
    return queue(client, 1);
  }

  private RecordQueue queue(AccountingClient client, int window) throws Exception {
    return RecordQueue.open(
        new QueueSettings(directory.resolve("queue"), 10, window, Duration.ofMillis(20)),
        client,
        Packets.DICTIONARY);
  }

  @Test
  void aSessionWhoseRecordHasNoAnswerHoldsUpNoOther() throws Exception {
    List<String> sessions = new CopyOnWriteArrayList<>();
    try (RawSocket server = new RawSocket("127.0.0.2");
        AccountingClient client = client(server);
        RecordQueue queue = queue(client, 2)) {
      Thread.ofVirtual().start(() -> answerAll(server, sessions, "slow"));
      queue.add(Packets.record("Start", "slow")).get(20, TimeUnit.SECONDS);
      queue.add(Packets.record("Stop", "slow")).get(20, TimeUnit.SECONDS);
      for (int i = 0; i < 6; i++) {
        queue.add(Packets.record("Start", "quick " + i)).get(20, TimeUnit.SECONDS);
      }
      await().until(() -> queue.statistics().of(Fate.DELIVERED) == 6);
      assertThat(queue.statistics().waiting()).isEqualTo(2);
    }
    assertThat(sessions).contains("quick 0", "quick 5");
  }

  /// Answers all requests that come and that wait, until the socket closes.
  ///
  /// @param silent session whose requests it does not answer
  private static void answerAll(RawSocket server, List<String> sessions, String silent) {
    try {
      while (true) {
        Datagram request = server.receive();
        RadiusPacket packet = Packets.read(request.octets());
        sessions.add(packet.text("Acct-Session-Id"));
        if (packet.text("Acct-Session-Id").equals(silent)) {
          continue;
        }
        server.send(
            request.sender(),
            SECRET.signResponse(
                new RadiusPacket(RadiusPacket.ACCOUNTING_RESPONSE, packet.identifier(), List.of()),
                request.octets()));
      }
    } catch (IOException _) {
      // closed
    }
  }

  @Test
  void recordsSurviveARestartAndArriveInTheirOrder() throws Exception {
    List<String> sessions = new CopyOnWriteArrayList<>();
    try (RawSocket server = new RawSocket("127.0.0.2")) {
      try (AccountingClient client = client(server);
          RecordQueue queue = queue(client)) {
        queue.add(Packets.record("Start", "a")).get(20, TimeUnit.SECONDS);
        queue.add(Packets.record("Start", "b")).get(20, TimeUnit.SECONDS);
        await().until(() -> queue.statistics().of(Fate.RETRIED) > 0);
        assertThat(queue.statistics().waiting()).isEqualTo(2);
      }
      Thread.ofVirtual().start(() -> answerAll(server, sessions, ""));
      try (AccountingClient client = client(server);
          RecordQueue queue = queue(client)) {
        await().until(() -> queue.statistics().waiting() == 0);
        assertThat(queue.statistics().of(Fate.DELIVERED)).isEqualTo(2);
      }
    }
    assertThat(sessions.stream().distinct()).containsExactly("a", "b");
  }
}
