package io.viaduct.radius.server;

import static io.viaduct.radius.message.Packets.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.radius.RawSocket;
import io.viaduct.radius.SettableClock;
import io.viaduct.radius.accounting.AccountingRecord;
import io.viaduct.radius.message.AttributesBuilder;
import io.viaduct.radius.message.Packets;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.Refusal;
import io.viaduct.radius.message.SharedSecret;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.radius.statistics.RadiusStatistics.Count;
import io.viaduct.radius.statistics.RadiusStatistics.Drop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AccountingServerTest {
  private static final Duration REMEMBERED = Duration.ofSeconds(30);

  private final SettableClock clock = new SettableClock();
  private final RadiusStatistics statistics = new RadiusStatistics();
  private final List<CompletableFuture<Void>> stores = new CopyOnWriteArrayList<>();
  private final List<AccountingRecord> records = new CopyOnWriteArrayList<>();
  private RawSocket nas;
  private AccountingServer server;

  @BeforeEach
  void start() throws Exception {
    nas = new RawSocket("127.0.0.2");
    server =
        AccountingServer.start(
            new ServerSettings(
                new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0),
                List.of(new NasClient("wifi", nas.address().getAddress(), SECRET)),
                2,
                REMEMBERED,
                10),
            Packets.DICTIONARY,
            (_, record) -> {
              CompletableFuture<Void> stored = new CompletableFuture<>();
              stores.add(stored);
              records.add(record);
              return stored;
            },
            statistics,
            clock);
  }

  @AfterEach
  void stop() {
    server.close();
    nas.close();
  }

  private void send(byte[] octets) throws IOException {
    nas.send(new InetSocketAddress("127.0.0.1", server.port()), octets);
  }

  private static byte[] start(String session) {
    return SECRET.signRequest(Packets.record("Start", session));
  }

  @Test
  void aRecordIsAnsweredWhenItIsStoredAndNotBefore() throws Exception {
    RadiusPacket interim =
        Packets.interim()
            .with(
                new AttributesBuilder(Packets.DICTIONARY)
                    .add("Proxy-State", new byte[] {1, 2})
                    .build()
                    .getFirst());
    byte[] request = SECRET.signRequest(interim);
    send(request);
    await().until(() -> stores.size() == 1);
    assertThat(statistics.of(Count.RESPONSE_SENT)).isZero();
    assertThat(records.getFirst().user()).isEqualTo("alice@ims.test");
    stores.getFirst().complete(null);
    byte[] response = nas.receive().octets();
    assertThat(SECRET.flawOfResponse(response, request)).isEmpty();
    RadiusPacket read = Packets.read(response);
    assertThat(read.code()).isEqualTo(RadiusPacket.ACCOUNTING_RESPONSE);
    assertThat(read.identifier()).isEqualTo(7);
    assertThat(read.first("Proxy-State").orElseThrow().data()).containsExactly(1, 2);
  }

  @Test
  void aCopyIsNotStoredAgainAndGetsTheSameAnswer() throws Exception {
    send(start("a"));
    await().until(() -> stores.size() == 1);
    send(start("a"));
    await().until(() -> statistics.of(Count.DUPLICATE) == 1);
    stores.getFirst().complete(null);
    byte[] first = nas.receive().octets();
    send(start("a"));
    assertThat(nas.receive().octets()).isEqualTo(first);
    clock.advance(REMEMBERED.plusSeconds(1));
    send(start("b"));
    await().until(() -> stores.size() == 2);
    send(start("a"));
    await().untilAsserted(() -> assertThat(stores).as("forgotten").hasSize(3));
  }

  @Test
  void aRecordThatIsNotStoredGetsNoAnswerAndItsCopyIsTriedAgain() throws Exception {
    send(start("a"));
    await().until(() -> stores.size() == 1);
    stores.getFirst().completeExceptionally(new IOException("disk"));
    await().until(() -> statistics.of(Drop.NOT_STORED) == 1);
    send(start("a"));
    await().until(() -> stores.size() == 2);
    stores.getLast().complete(null);
    assertThat(Packets.read(nas.receive().octets()).code())
        .isEqualTo(RadiusPacket.ACCOUNTING_RESPONSE);
    assertThat(statistics.of(Count.RESPONSE_SENT)).isEqualTo(1);
  }

  @Test
  void moreRequestsThanTheLimitAreDropped() throws Exception {
    for (String session : List.of("a", "b", "c")) {
      send(start(session));
    }
    await().until(() -> statistics.of(Drop.BUSY) == 1);
    assertThat(stores).hasSize(2);
    stores.getFirst().complete(null);
    assertThat(nas.receive().octets()).isNotEmpty();
    send(start("c"));
    await().until(() -> stores.size() == 3);
  }

  @Test
  void whatNoConfiguredClientHasSignedIsDroppedWithItsReason() throws Exception {
    send(new SharedSecret("guessed").signRequest(Packets.record("Start", "a")));
    send(new byte[3]);
    send(new byte[5000]);
    send(SECRET.signRequest(new RadiusPacket(1, 1, List.of())));
    send(SECRET.signRequest(Packets.record("Start", "")));
    try (RawSocket stranger = new RawSocket("127.0.0.3")) {
      stranger.send(new InetSocketAddress("127.0.0.1", server.port()), start("a"));
      await().until(() -> statistics.of(Drop.UNKNOWN_SOURCE) == 1);
    }
    await().until(() -> statistics.of(Drop.INCOMPLETE) == 1);
    assertThat(statistics.of(Refusal.BAD_AUTHENTICATOR)).isEqualTo(1);
    assertThat(statistics.of(Refusal.TOO_SHORT)).isEqualTo(1);
    assertThat(statistics.of(Refusal.BAD_LENGTH)).isEqualTo(1);
    assertThat(statistics.of(Refusal.OTHER_CODE)).isEqualTo(1);
    assertThat(stores).isEmpty();
    assertThat(statistics.of(Count.RESPONSE_SENT)).isZero();
  }
}
