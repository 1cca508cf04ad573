package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.control.SnaptWatch.Watched;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real handshakes on the loopback; the test decides when each is due.
class SnaptWatchTest {
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final EventLoop loop = loops.next();
  private final AtomicLong carried = new AtomicLong();
  private final AtomicInteger lookUps = new AtomicInteger();
  private final SnaptClaims claims = new SnaptClaims();
  private final SnaptHandshake handshake = new SnaptHandshake(loop, 0, List::of, this::lookUp);
  private final SnaptWatch watch = new SnaptWatch(handshake, carried::incrementAndGet, claims);
  private final Candidates used =
      new Candidates(new SnaptSettings("", 443, ""), 1_000_000_000L, claims);
  private ServerSocket one;
  private ServerSocket two;

  @BeforeEach
  void listen() throws Exception {
    one = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    two = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    claims.measuredBy(watch);
  }

  @AfterEach
  void close() throws Exception {
    one.close();
    two.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private List<InetAddress> lookUp(String host) {
    lookUps.incrementAndGet();
    return List.of(InetAddress.getLoopbackAddress());
  }

  private static Snapt at(String id, ServerSocket socket) {
    return new Snapt(id, "127.0.0.1", socket.getLocalPort());
  }

  private void on(Runnable work) {
    loop.submit(work).syncUninterruptibly();
  }

  private void step(long nowNs) {
    on(() -> watch.step(nowNs));
  }

  private Watched seen(Snapt snapt) {
    return watch.watched().stream()
        .filter(each -> each.snapt().equals(snapt.toString()))
        .findFirst()
        .orElse(null);
  }

  @Test
  void onlySnaptsThatAreNotUsedAreMeasuredInTurn() {
    List<Snapt> all = List.of(at("a", one), at("b", two));
    on(() -> {
      used.replace(all);
      assertThat(used.current()).isEqualTo(all.getFirst());
      watch.list(all);
    });
    step(System.nanoTime());
    await().until(() -> seen(all.getLast()).roundTripMs() != null);
    assertThat(seen(all.getLast()).roundTripMs()).isBetween(0.0, 5_000.0);
    assertThat(seen(all.getFirst())).as("it is used").isNull();
    on(() -> claims.release(used));
    step(System.nanoTime());
    step(System.nanoTime());
    await().until(() -> seen(all.getFirst()) != null && seen(all.getFirst()).roundTripMs() != null);
  }

  @Test
  void oneThatDoesNotAnswerIsNotKnownAnyMore() throws Exception {
    Snapt gone = at("a", one);
    on(() -> watch.list(List.of(gone)));
    step(System.nanoTime());
    await().until(() -> seen(gone).roundTripMs() != null);
    one.close();
    step(System.nanoTime());
    await().until(() -> seen(gone).unanswered() == 1);
    on(() -> assertThat(watch.times().roundTripMs(gone)).as("one may be lost").isNotNaN());
    step(System.nanoTime());
    await().until(() -> seen(gone).unanswered() == 2);
    on(() -> assertThat(watch.times().roundTripMs(gone)).isNaN());
  }

  @Test
  void theNameOfASnaptIsLookedUpSeldomAndAfterAHandshakeWithoutAnAnswer() throws Exception {
    Snapt named = new Snapt("a", "snapt.lab", one.getLocalPort());
    on(() -> watch.list(List.of(named)));
    long nowNs = System.nanoTime();
    for (int i = 1; i <= 3; i++) {
      int times = i;
      step(nowNs);
      await().until(() -> handshakes(handshake) == times);
      await().until(() -> seen(named).agoMs() != null);
    }
    assertThat(lookUps).as("the answer is used again").hasValue(1);
    step(nowNs + SnaptHandshake.RESOLVED_NS);
    await().until(() -> handshakes(handshake) == 4);
    assertThat(lookUps).as("it was old").hasValue(2);
    one.close();
    step(nowNs + SnaptHandshake.RESOLVED_NS);
    await().until(() -> seen(named).unanswered() == 1);
    step(nowNs + SnaptHandshake.RESOLVED_NS);
    await().until(() -> seen(named).unanswered() == 2);
    assertThat(lookUps).as("it may be elsewhere").hasValue(3);
  }

  @Test
  void tenSnaptsCostLessThanTheGoalWithIpv6() {
    int bytes = 80 + 80 + 72 + 60; // SYN, SYN and ACK, ACK, RST: RFC 9293 with the kernel's options
    assertThat(bytes * 8_000.0 / SnaptWatch.STEP_MS).as("bit/s").isLessThanOrEqualTo(1_500);
  }

  @Test
  void nothingIsMeasuredWhileTheDeviceCarriesNothing() {
    AtomicLong bytes = new AtomicLong(1);
    SnaptWatch idle = new SnaptWatch(handshake, bytes::get, new SnaptClaims());
    on(() -> idle.list(List.of(at("a", one))));
    long nowNs = System.nanoTime();
    on(() -> idle.step(nowNs));
    await().until(() -> handshakes(handshake) == 1);
    for (int i = 0; i < 50; i++) {
      on(() -> idle.step(nowNs + SnaptWatch.IDLE_NS));
    }
    bytes.incrementAndGet();
    on(() -> idle.step(nowNs + SnaptWatch.IDLE_NS));
    await().until(() -> handshakes(handshake) >= 2);
    assertThat(handshakes(handshake)).as("the steps without traffic have begun none").isEqualTo(2);
  }

  @Test
  void theListenerHearsAlsoWhenNothingIsFree() {
    List<List<Watched>> told = new CopyOnWriteArrayList<>();
    watch.start(told::add);
    on(() -> watch.list(List.of()));
    step(System.nanoTime());
    assertThat(told).contains(List.of());
  }

  private long handshakes(SnaptHandshake of) {
    long[] seen = new long[1];
    on(() -> seen[0] = of.begun());
    return seen[0];
  }

  @Test
  void theNearestFreeOneIsTriedFirstAndEachOneOnceBeforeAnyAgain() {
    Snapt first = new Snapt("first", "127.0.0.1", 1);
    Snapt second = new Snapt("second", "127.0.0.1", 2);
    Snapt near = at("near", one);
    on(() -> {
      used.replace(List.of(first, second, near));
      watch.list(List.of(first, second, near));
      assertThat(used.current()).isEqualTo(first);
    });
    for (int i = 0; i < 2; i++) {
      step(System.nanoTime());
    }
    await().until(() -> seen(near).roundTripMs() != null);
    on(() -> {
      used.failed(true, false, 0);
      assertThat(used.current()).as("the nearest").isEqualTo(near);
      used.failed(true, false, 0);
      assertThat(used.current()).as("not one that was tried").isNotEqualTo(near);
    });
  }
}
