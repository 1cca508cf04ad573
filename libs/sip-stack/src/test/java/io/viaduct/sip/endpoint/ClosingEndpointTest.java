package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.slf4j.LoggerFactory;

/// An endpoint that is closed while others use it.
class ClosingEndpointTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Thread.UncaughtExceptionHandler before =
      Thread.getDefaultUncaughtExceptionHandler();

  @BeforeEach
  void listen() {
    Thread.setDefaultUncaughtExceptionHandler((_, e) -> uncaught.add(e));
    said.start();
    root.addAppender(said);
  }

  @AfterEach
  void restore() {
    root.detachAppender(said);
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  /// One use after the other, until the end.
  private static Thread using(AtomicBoolean stop, List<Throwable> thrown, Runnable use) {
    return Thread.ofPlatform()
        .start(() -> {
          while (!stop.get()) {
            try {
              use.run();
            } catch (RuntimeException e) {
              thrown.add(e);
            }
          }
        });
  }

  private static SipFlow to(Transport transport, SipEndpoint endpoint) {
    return new SipFlow(
        transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
  }

  @RepeatedTest(10)
  void endpointsCloseWithoutAnExceptionWhileTheyAskAndAnswer() throws Exception {
    SipEndpoint server =
        SipEndpoint.start(Endpoints.usual(), InstantSource.system(), r -> r.answer(200));
    SipEndpoint client =
        SipEndpoint.start(Endpoints.usual(), InstantSource.system(), r -> r.answer(200));
    SipFlow udp = to(Transport.UDP, server);
    SipFlow tcp = to(Transport.TCP, server);
    SipFlow back = to(Transport.UDP, client);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger answered = new AtomicInteger();
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    List<Thread> threads =
        List.of(
            using(stop, thrown, () -> answered.addAndGet(answers(client.keepAlive(udp)))),
            using(stop, thrown, () -> answers(server.keepAlive(back))),
            using(stop, thrown, () -> client.send(Endpoints.message("x"), udp)),
            using(
                stop,
                thrown,
                () -> {
                  client.disconnect(tcp); // each request opens a connection
                  client.send(Endpoints.message("x"), tcp);
                }));
    // A keep-alive that is lost in this load is sent again for 39.5 s (RFC 8489 section 6.2.1).
    await().atMost(Duration.ofMinutes(2)).until(() -> answered.get() > 20);
    server.close();
    client.close();
    stop.set(true);
    for (Thread each : threads) {
      each.join();
    }
    assertThat(thrown).isEmpty();
    assertThat(uncaught).isEmpty();
    assertThat(said.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEmpty();
  }

  private static int answers(CompletableFuture<?> exchange) {
    return exchange.handle((answer, _) -> answer == null ? 0 : 1).join();
  }
}
