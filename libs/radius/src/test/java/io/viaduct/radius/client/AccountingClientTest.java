package io.viaduct.radius.client;

import static io.viaduct.radius.message.Packets.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.viaduct.radius.RawSocket;
import io.viaduct.radius.RawSocket.Datagram;
import io.viaduct.radius.SettableClock;
import io.viaduct.radius.client.ClientSettings.Server;
import io.viaduct.radius.message.Packets;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.Refusal;
import io.viaduct.radius.message.SharedSecret;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.radius.statistics.RadiusStatistics.Count;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AccountingClientTest {
  private final SettableClock clock = new SettableClock();
  private final RadiusStatistics statistics = new RadiusStatistics();
  private RawSocket first;
  private RawSocket second;
  private AccountingClient client;

  @BeforeEach
  void start() throws Exception {
    first = new RawSocket("127.0.0.2");
    second = new RawSocket("127.0.0.3");
    client = client(Duration.ofMillis(50), 2);
  }

  private AccountingClient client(Duration timeout, int attempts) throws IOException {
    return AccountingClient.start(
        new ClientSettings(
            List.of(new Server(first.address(), SECRET), new Server(second.address(), SECRET)),
            timeout,
            attempts),
        Packets.DICTIONARY,
        statistics,
        clock);
  }

  @AfterEach
  void stop() {
    client.close();
    first.close();
    second.close();
  }

  private static void answer(RawSocket server, Datagram request, SharedSecret secret)
      throws IOException {
    RadiusPacket packet = Packets.read(request.octets());
    server.send(
        request.sender(),
        secret.signResponse(
            new RadiusPacket(RadiusPacket.ACCOUNTING_RESPONSE, packet.identifier(), List.of()),
            request.octets()));
  }

  @Test
  void aRetransmissionIsTheSamePacketAndTheNextServerGetsTheDelayUntilNow() throws Exception {
    clock.advance(Duration.ofSeconds(9));
    CompletableFuture<Void> sent = client.send(Packets.interim());
    byte[] packet = first.receive().octets();
    assertThat(SECRET.flawOfRequest(packet)).isEmpty();
    assertThat(Packets.read(packet).number("Acct-Delay-Time")).hasValue(9);
    clock.advance(Duration.ofSeconds(3));
    assertThat(first.receive().octets()).isEqualTo(packet);
    Datagram other = second.receive();
    RadiusPacket read = Packets.read(other.octets());
    assertThat(read.number("Acct-Delay-Time")).hasValue(12);
    assertThat(read.identifier()).isNotEqualTo(Packets.read(packet).identifier());
    answer(second, other, SECRET);
    assertThat(sent.get(20, TimeUnit.SECONDS)).isNull();
    assertThat(statistics.of(Count.RETRANSMITTED)).isEqualTo(1);
    assertThat(statistics.of(Count.FAIL_OVER)).isEqualTo(1);

    CompletableFuture<Void> next = client.send(Packets.interim());
    answer(second, second.receive(), SECRET);
    assertThat(next.get(20, TimeUnit.SECONDS)).as("to the server that has answered").isNull();
  }

  @Test
  void anAnswerThatTheServerHasNotSignedIsIgnored() throws Exception {
    client.close();
    client = client(Duration.ofSeconds(20), 1);
    CompletableFuture<Void> sent = client.send(Packets.interim());
    Datagram request = first.receive();
    answer(first, request, new SharedSecret("guessed"));
    await().until(() -> statistics.of(Refusal.BAD_AUTHENTICATOR) == 1);
    answer(second, request, SECRET);
    await().until(() -> statistics.of(RadiusStatistics.Drop.STRAY_RESPONSE) == 1);
    try (RawSocket stranger = new RawSocket("127.0.0.4")) {
      answer(stranger, request, SECRET);
      await().until(() -> statistics.of(RadiusStatistics.Drop.UNKNOWN_SOURCE) == 1);
    }
    assertThat(sent).isNotDone();
    answer(first, request, SECRET);
    assertThat(sent.get(20, TimeUnit.SECONDS)).isNull();
  }

  @Test
  void aRecordThatNoServerAnswersFails() {
    assertThatThrownBy(() -> client.send(Packets.interim()).get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(UnansweredException.class);
    assertThat(statistics.of(Count.UNANSWERED)).isEqualTo(1);
    assertThat(statistics.of(Count.REQUEST_SENT)).isEqualTo(2);
  }

  @Test
  void aClientThatClosesFailsWhatIsInFlight() throws Exception {
    client.close();
    client = client(Duration.ofMinutes(5), 1);
    CompletableFuture<Void> sent = client.send(Packets.interim());
    assertThat(first.receive().octets()).isNotEmpty();
    client.close();
    assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(UnansweredException.class);
    assertThatThrownBy(() -> client.send(Packets.interim()).get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(UnansweredException.class);
  }
}
