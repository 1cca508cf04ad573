package io.viaduct.cnapt.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real queries on the loopback; the test's clock decides when an answer is old.
class OutsideResolverTest {
  private static final long WAIT_NS = 1_000_000;
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
  private static final long DUE_MS = LabNameServer.TTL_SECONDS * 750L; // three quarters

  private final MockTicker clock = Ticker.newMockTicker();
  private final ManualIoEventLoop loop =
      new ManualIoEventLoop(null, Thread.currentThread(), EpollIoHandler.newFactory(), clock);
  private final AtomicLong carried = new AtomicLong();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>(); // queries by name
  private DatagramSocket server;
  private OutsideResolver resolver;

  @BeforeEach
  void open() throws Exception {
    server = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::serve);
    var address = (InetSocketAddress) server.getLocalSocketAddress();
    resolver = new OutsideResolver(loop, 0, () -> List.of(address), clock::nanoTime, carried::get);
  }

  @AfterEach
  void close() {
    resolver.close();
    server.close();
    loop.execute(() -> {}); // a loop without a last task would wait for the clock to end
    var unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    loop.runNow();
  }

  private void serve() {
    DatagramPacket query = new DatagramPacket(new byte[512], 512);
    try {
      while (true) {
        query.setLength(512);
        server.receive(query);
        if (LabNameServer.isForIpv4(query.getData())) {
          asked.merge(LabNameServer.name(query.getData()), 1, Integer::sum);
        }
        byte[] answer = LabNameServer.answer(query, new byte[] {(byte) 192, 0, 2, 7});
        server.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
      }
    } catch (IOException _) {
      // the test is over
    }
  }

  private <T> T away(Callable<T> lookUp) throws Exception {
    FutureTask<T> away = new FutureTask<>(lookUp);
    Thread.ofVirtual().start(away);
    until(away::isDone);
    return away.get();
  }

  private void until(BooleanSupplier isSo) {
    long endNs = System.nanoTime() + PATIENCE_NS;
    while (!isSo.getAsBoolean()) {
      assertThat(System.nanoTime() - endNs).as("%s", asked).isNegative();
      loop.run(WAIT_NS);
    }
  }

  private void pass(long ms) {
    clock.advanceMillis(ms);
    loop.runNow();
  }

  @Test
  void aNameInUseStaysFreshWhileTheDeviceCarriesAndNobodyIsAskedWhileItIsIdle() throws Exception {
    assertThat(away(() -> resolver.resolve("used.lab")).getFirst().getHostAddress())
        .isEqualTo("192.0.2.7");
    away(() -> resolver.resolveOnce("watched.lab"));
    carried.incrementAndGet();
    pass(DUE_MS);
    until(() -> asked.get("used.lab") == 2);
    away(() -> resolver.resolve("other.lab")); // behind the answer
    for (int i = 0; i < 10; i++) {
      pass(DUE_MS);
    }
    away(() -> resolver.resolve("more.lab")); // behind what the idle device would have asked
    assertThat(asked).containsEntry("used.lab", 2);
    carried.incrementAndGet();
    pass(DUE_MS);
    until(() -> asked.get("used.lab") == 3);
    assertThat(asked).as("nobody uses it").containsEntry("watched.lab", 1);
  }

  @Test
  void anotherNetworkIsAskedAtOnceForTheNamesInUseAndForOthersWhenTheyAreDue() throws Exception {
    away(() -> resolver.resolve("used.lab"));
    away(() -> resolver.resolveOnce("watched.lab"));
    away(() -> resolver.resolveOnce("watched.lab"));
    assertThat(asked).as("the answer is valid").containsEntry("watched.lab", 1);
    resolver.networkChanged();
    until(() -> asked.get("used.lab") == 2);
    assertThat(asked).containsEntry("watched.lab", 1);
  }
}
