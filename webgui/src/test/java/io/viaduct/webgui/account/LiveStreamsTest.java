package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.webgui.account.LiveSignal.Next;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.RefusedRequests;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.context.WebServerApplicationContext;

class LiveStreamsTest {
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final LiveStreams streams =
      new LiveStreams(limits(3, 2), new RefusedRequests(meters), meters);

  @Test
  void oneMoreThanTheLimitIsRefusedAndCounted() {
    streams.start();
    for (String session : new String[] {"a", "b", "c"}) {
      streams.open(session);
    }
    assertThatThrownBy(() -> streams.open("d"))
        .isInstanceOf(StreamRefusedException.class)
        .hasMessageContaining("3");
    assertThat(
            meters
                .get("viaduct_webgui_requests_refused")
                .tag("reason", "streams")
                .counter()
                .count())
        .isEqualTo(1);
    assertThat(meters.get("viaduct_webgui_live_streams").gauge().value()).isEqualTo(3);
  }

  @Test
  void closedStreamMakesRoomOnce() {
    streams.start();
    LiveSignal first = streams.open("a");
    streams.open("b");
    streams.close("a", first);
    streams.close("a", first);
    assertThat(streams.count()).isEqualTo(1);
  }

  @Test
  void sessionsOwnOldestStreamGivesWay() throws InterruptedException {
    streams.start();
    LiveSignal oldest = streams.open("a");
    streams.open("a");
    streams.open("a");
    assertThat(oldest.await(Duration.ZERO)).isEqualTo(Next.PAUSED);
    assertThat(streams.count()).isEqualTo(2);
    streams.close("a", oldest);
    assertThat(streams.count()).isEqualTo(2);
  }

  @Test
  void stoppingEndsAllStreamsAndOpensNone() throws InterruptedException {
    streams.start();
    LiveSignal open = streams.open("a");
    streams.stop();
    assertThat(open.await(Duration.ZERO)).isEqualTo(Next.DISCONNECTED);
    assertThatThrownBy(() -> streams.open("b")).isInstanceOf(StreamRefusedException.class);
  }

  @Test
  void streamsEndBeforeTheWebServerWaitsForThem() {
    assertThat(streams.getPhase())
        .isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
  }

  private static Limits limits(int streams, int streamsPerSession) {
    Duration second = Duration.ofSeconds(1);
    return new Limits(
        10,
        Duration.ofMinutes(1),
        streams,
        streamsPerSession,
        Duration.ofMinutes(1),
        second,
        second,
        second,
        1024,
        5,
        100);
  }
}
