package io.viaduct.bridge.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.SipSide;
import io.viaduct.bridge.TestClock;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.subscription.ExpiryBounds;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The notifier with an event package that counts the looks at it, and whose subscribers are those
/// of an IMS core, which has authenticated them.
class EventNotifierTest {
  private static final SipFlow CORE =
      new SipFlow(Transport.UDP, new InetSocketAddress("192.0.2.9", 5060));

  private final TestClock clock = new TestClock();
  private final List<String> looks = new ArrayList<>();
  private final SipSide network = new SipSide();
  private final Subscribers subscribers = SipSide.subscribers("alice", "bob");
  private EventNotifier notifier;

  /// A state that changes by itself each minute.
  private final class Minutes implements EventPackage<Long> {
    private long minute(Instant now) {
      return now.getEpochSecond() / 60;
    }

    @Override
    public String name() {
      return "minutes";
    }

    @Override
    public String type() {
      return "text/plain";
    }

    @Override
    public Object trigger(String user, Instant now) {
      looks.add(user);
      return minute(now);
    }

    @Override
    public Instant next(String user, Instant now) {
      return Instant.ofEpochSecond((minute(now) + 1) * 60);
    }

    @Override
    public CompletableFuture<Long> state(String user, Instant now) {
      return CompletableFuture.completedFuture(minute(now));
    }

    @Override
    public String document(
        String user, Long state, @Nullable Object told, int version, Instant now) {
      return Long.toString(state);
    }
  }

  @BeforeEach
  void start() {
    TrustDomain trust = SipSide.trust(CORE);
    SipMeters meters = new SipMeters(new SimpleMeterRegistry());
    Authentication authentication = SipSide.authentication(trust, subscribers, meters, clock);
    notifier =
        new EventNotifier(
            new EventNotifier.Limits(
                10,
                new ExpiryBounds(Duration.ofSeconds(1), Duration.ofDays(1), Duration.ofDays(1))),
            List.of(new Minutes()),
            authentication,
            trust,
            subscribers,
            new LocationService(2, 10),
            Replicas.NONE,
            Duty.ALONE,
            meters,
            clock);
    notifier.attach(network);
    notifier.onClock(); // the first one looks at all
  }

  private void subscribe(String user) {
    SipRequest subscribe =
        new SipRequest(
            "SUBSCRIBE",
            "sip:%s@ims.test".formatted(user),
            SipHeaders.NONE
                .with("Via", "SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK1")
                .with("From", "<sip:%s@ims.test>;tag=1".formatted(user))
                .with("To", "<sip:%s@ims.test>".formatted(user))
                .with("Call-ID", user)
                .with("CSeq", "1 SUBSCRIBE")
                .with("Max-Forwards", "70")
                .with("Event", "minutes")
                .with("Expires", "3600")
                .with("Contact", "<sip:%s@192.0.2.9>".formatted(user))
                .with("P-Asserted-Identity", "<sip:%s@ims.test>".formatted(user)));
    List<SipResponse> answers = new ArrayList<>();
    notifier.onSubscribe(
        new IncomingRequest() {
          @Override
          public SipRequest message() {
            return subscribe;
          }

          @Override
          public SipFlow flow() {
            return CORE;
          }

          @Override
          public boolean begin(Runnable onCancel) {
            return false;
          }

          @Override
          public void answer(SipResponse response) {
            answers.add(response);
          }
        });
    assertThat(answers).hasSize(1);
    assertThat(answers.getFirst().status()).isEqualTo(200);
  }

  @Test
  void aTickLooksOnlyAtTheSubscribersForWhomSomethingIsDue() {
    subscribe("alice");
    subscribe("bob");
    assertThat(network.sent()).hasSize(2);
    looks.clear();
    notifier.onClock();
    assertThat(looks).isEmpty();

    subscribers.bound("bob", new byte[32]);
    notifier.onClock();
    assertThat(looks).containsExactly("bob");
    assertThat(network.sent()).isEmpty();

    looks.clear();
    clock.advance(Duration.ofMinutes(1));
    notifier.onClock();
    assertThat(looks).containsExactlyInAnyOrder("alice", "bob");
    assertThat(network.sent()).hasSize(2);
  }
}
