package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.SipSide;
import io.viaduct.bridge.TestClock;
import io.viaduct.service.operations.Garbage;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.AlgorithmOffer;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.digest.DigestServer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Measures the memory of contacts: 100,000 users register one each, with digest, from an address
/// of their own. `viaduct bench sip --only contacts` measures the whole bridge, and its pauses.
@Timeout(300)
class ContactMemoryTest {
  private static final int CONTACTS = 100_000;
  private static final long BYTES_MAX = 2_048; // it was 950 when this test was written
  // After all have expired: the throttle of wrong passwords remembers 60,000 users and sources.
  private static final long LEFT_MAX = 40 << 20;
  private static final int NONCES = 1_000; // so that their memory does not count
  private static final String DOMAIN = "ims.test";
  private static final Set<DigestAlgorithm> SHA_256 = Set.of(DigestAlgorithm.SHA_256);

  private final TestClock clock = new TestClock();
  private final Subscribers subscribers =
      SipSide.subscribers(
          IntStream.range(0, CONTACTS).mapToObj(ContactMemoryTest::user).toArray(String[]::new));
  private final LocationService locations = new LocationService(2, CONTACTS);
  private final SipSide network = new SipSide();
  private final Registrar registrar = registrar();

  private Registrar registrar() {
    SipMeters meters = new SipMeters(new SimpleMeterRegistry());
    Authentication authentication =
        new Authentication(
            DOMAIN,
            SipSide.trust(),
            new DigestServer(
                DOMAIN,
                new AlgorithmOffer(List.copyOf(SHA_256), List.of()),
                Duration.ofMinutes(5),
                NONCES,
                subscribers,
                clock),
            subscribers,
            10,
            60,
            meters,
            clock);
    return new Registrar(
        new Registrar.Limits(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ofMinutes(10)),
        authentication,
        locations,
        () -> {},
        new Gruus(DOMAIN, new byte[Gruus.KEY_BYTES]),
        meters,
        clock);
  }

  private static String user(int number) {
    return "user-" + number;
  }

  private record Arrived(SipRequest message, SipFlow flow, List<SipResponse> answers)
      implements IncomingRequest {
    @Override
    public boolean begin(Runnable onCancel) {
      return false;
    }

    @Override
    public void answer(SipResponse response) {
      answers.add(response);
    }
  }

  private SipResponse ask(SipRequest message, SipFlow flow) {
    Arrived arrived = new Arrived(message, flow, new ArrayList<>());
    registrar.onRegister(arrived, network);
    assertThat(arrived.answers).hasSize(1);
    return arrived.answers.getFirst();
  }

  /// Registers a user by a REGISTER as a telephone with outbound (RFC 5626) sends it.
  private void register(int number) throws Exception {
    clock.advance(Duration.ofMillis(1)); // the digest server forgets nonces by their age
    InetAddress address =
        InetAddress.getByAddress(
            new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
    String text =
        """
        REGISTER sip:ims.test SIP/2.0\r
        Via: SIP/2.0/UDP %2$s:5060;branch=z9hG4bK%3$s;rport\r
        Max-Forwards: 70\r
        From: <sip:%1$s@ims.test>;tag=%3$s\r
        To: <sip:%1$s@ims.test>\r
        Call-ID: %4$s\r
        CSeq: 4711 REGISTER\r
        Contact: <sip:%1$s-0x55d0c2a8f3b0@%2$s:5060>;expires=600;+sip.instance="<urn:uuid:%4$s>";reg-id=1\r
        User-Agent: baresip v3.16.0 (x86_64/Linux)\r
        Supported: gruu, outbound, path\r
        Accept-Language: en\r
        Content-Length: 0\r
        \r
        """
            .formatted(
                user(number),
                address.getHostAddress(),
                Integer.toHexString(number),
                new UUID(number, 0x8000000000000000L));
    SipRequest first =
        (SipRequest) SipSide.arrival(text.getBytes(StandardCharsets.US_ASCII)).orElseThrow();
    SipFlow flow = new SipFlow(Transport.UDP, new InetSocketAddress(address, 5060));
    DigestClient client = new DigestClient(user(number), user(number) + "-secret", SHA_256);
    client.acceptChallenge(ask(first, flow));
    SipResponse answer = ask(client.authorize(first), flow);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
  }

  private static long heldBytes() {
    Garbage.collect();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void aContactHoldsLessThanTwoKibibytesUntilItExpires() throws Exception {
    register(0); // loads classes, and makes the objects that all contacts share
    long before = heldBytes();
    for (int number = 1; number < CONTACTS; number++) {
      register(number);
    }
    assertThat(locations.size()).isEqualTo(CONTACTS);
    long each = (heldBytes() - before) / CONTACTS;
    System.out.println("a contact holds " + each + " bytes");
    assertThat(each).isBetween(100L, BYTES_MAX);
    clock.advance(Duration.ofMinutes(11));
    locations.expire(clock.instant());
    assertThat(locations.size()).isZero();
    assertThat(heldBytes() - before).isLessThan(LEFT_MAX);
  }
}
