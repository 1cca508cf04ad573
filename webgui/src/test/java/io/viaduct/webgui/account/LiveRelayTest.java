package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.login.SignedIn.Role;
import io.viaduct.webgui.peer.BearerToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

class LiveRelayTest {
  private static final SignedIn ALICE =
      new SignedIn("alice", Role.USER, new BearerToken("token"), Instant.MAX, false);

  private final Browser browser = new Browser();
  private final LiveSignal signal = new LiveSignal();
  private PipedOutputStream billing;
  private Thread relay;

  @BeforeEach
  void openBilling() {
    billing = new PipedOutputStream();
  }

  @AfterEach
  void endStream() throws Exception {
    signal.onEnd(LiveSignal.Next.DISCONNECTED);
    relay.join();
    billing.close();
  }

  @Test
  void ratesAreSentAgainAfterAChangeThatShowedOthers() throws IOException {
    start(new LiveRelay.Parts(() -> "all, at 5 Mbit/s", () -> "2 Mbit/s"));
    await().until(() -> browser.updates().equals(List.of("all, at 5 Mbit/s", "2 Mbit/s")));
    signal.onChange();
    List<String> twice = List.of("all, at 5 Mbit/s", "2 Mbit/s", "all, at 5 Mbit/s", "2 Mbit/s");
    await().until(() -> browser.updates().equals(twice));
  }

  @Test
  void ratesThatStayAreSentOnceAndALookThatHadNoTurnChangesNothing() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    start(new LiveRelay.Parts(() -> "all", () -> looks.incrementAndGet() == 2 ? "" : "2 Mbit/s"));
    await().until(() -> looks.get() > 5);
    assertThat(browser.updates()).containsExactly("all", "2 Mbit/s");
    await().until(() -> browser.comments() > 3);
  }

  @Test
  void pageWithoutRatesGetsNoEmptyUpdateAfterAChange() throws IOException {
    start(new LiveRelay.Parts(() -> "charges", () -> ""));
    await().until(() -> browser.comments() > 2);
    signal.onChange();
    await().until(() -> browser.updates().size() == 2);
    int before = browser.comments();
    await().until(() -> browser.comments() > before + 2);
    assertThat(browser.updates()).containsExactly("charges", "charges");
  }

  private void start(LiveRelay.Parts parts) throws IOException {
    InputStream events = new PipedInputStream(billing);
    LiveRelay tested = new LiveRelay(limits(), InstantSource.system(), () -> Duration.ofMillis(5));
    relay = Thread.ofVirtual().start(() -> tested.run(ALICE, events, signal, browser, parts));
  }

  private static Limits limits() {
    Duration minute = Duration.ofMinutes(1);
    return new Limits(
        10, minute, 10, 10, minute, Duration.ofMillis(50), minute, minute, 1024, 5, 100);
  }

  /// Keeps what a browser would have received.
  private static final class Browser extends SseEmitter {
    private final List<String> received = new CopyOnWriteArrayList<>();

    @Override
    public void send(SseEventBuilder event) {
      received.add(
          event.build().stream()
              .map(part -> String.valueOf(part.getData()))
              .collect(Collectors.joining()));
    }

    List<String> updates() {
      return received.stream()
          .filter(event -> event.startsWith("event:update"))
          .map(event -> event.substring(event.indexOf("data:") + "data:".length()).strip())
          .toList();
    }

    int comments() {
      return (int) received.stream().filter(event -> event.startsWith(":quiet")).count();
    }
  }
}
