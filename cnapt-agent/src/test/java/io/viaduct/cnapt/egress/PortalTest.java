package io.viaduct.cnapt.egress;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PortalTest {
  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final Duration INTERVAL_MIN = Duration.ofSeconds(1);

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

  @AfterEach
  void end() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
  }

  private PortalProbe probe() {
    return new PortalProbe(new PageRequest(loops.next(), 0));
  }

  /// Asks a page whose server gives this answer; an empty one closes the connection.
  private PortalFinding ask(String answer, AtomicReference<String> request) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(() -> {
            try (Socket client = server.accept()) {
              byte[] read = new byte[4096];
              int bytes = client.getInputStream().read(read);
              request.set(new String(read, 0, bytes, US_ASCII));
              client.getOutputStream().write(answer.getBytes(US_ASCII));
            } catch (Exception e) {
              request.set(e.toString());
            }
          });
      URI page = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/generate_204?device=1");
      return probe().probe(page);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "204 No Content, '', Open[]",
    "302 Found, http://portal.test/login?a=1, Portal[page=http://portal.test/login?a=1]",
    "307 Temporary Redirect, https://10.0.0.1:8443/, Portal[page=https://10.0.0.1:8443/]",
    "302 Found, ftp://portal.test/, Unknown[reason=a redirection to no page of the web]",
    "301 Moved Permanently, https://127.0.0.1/generate_204, Unknown[reason=the host itself answered: it wants TLS]",
    "302 Found, 'http://a b/', Unknown[reason=a redirection to no address]",
    "503 Service Unavailable, '', Unknown[reason=the page answered 503]"
  })
  void theAnswerTellsAPortalFromTheInternet(String status, String location, String finding)
      throws Exception {
    AtomicReference<String> request = new AtomicReference<>("");
    String answer =
        "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nLocation: " + location + "\r\n\r\n";
    assertThat(ask(answer, request)).hasToString(finding);
    assertThat(request.get())
        .startsWith("GET /generate_204?device=1 HTTP/1.1\r\n")
        .containsPattern("host: 127.0.0.1:[0-9]+\r\n");
  }

  @Test
  void aPageInPlaceOfTheAnswerIsAPortalToo() throws Exception {
    AtomicReference<String> request = new AtomicReference<>("");
    for (String status : List.of("200 OK", "511 Network Authentication Required")) {
      PortalFinding found =
          ask("HTTP/1.1 " + status + "\r\nContent-Length: 5\r\n\r\nlogin", request);
      assertThat(found).isInstanceOf(PortalFinding.Portal.class);
    }
  }

  @Test
  void aPortalsPageMayBeOfAnySize() throws Exception {
    AtomicReference<String> request = new AtomicReference<>("");
    String page = "x".repeat(100_000);
    String head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    assertThat(ask(head + page, request)).isInstanceOf(PortalFinding.Portal.class);
  }

  @Test
  void withoutAnAnswerNothingIsKnown() throws Exception {
    AtomicReference<String> request = new AtomicReference<>("");
    assertThat(ask("", request)).isInstanceOf(PortalFinding.Unknown.class);
    assertThat(ask("rubbish\r\n\r\n", request)).isInstanceOf(PortalFinding.Unknown.class);
    URI closed = URI.create("http://127.0.0.1:1/");
    assertThat(probe().probe(closed)).isInstanceOf(PortalFinding.Unknown.class);
  }

  private final List<String> gate = new CopyOnWriteArrayList<>();
  private final List<String> names = new CopyOnWriteArrayList<>();
  private final AtomicInteger passed = new AtomicInteger();
  private final AtomicReference<PortalFinding> finding =
      new AtomicReference<>(new PortalFinding.Unknown("first"));

  private final CompletableFuture<Void> opening = new CompletableFuture<>();
  private volatile CompletableFuture<Void> mayOpen = CompletableFuture.completedFuture(null);

  /// Returns the way from a portal's page; by default there is that page only.
  private volatile Function<URI, PortalWay> way = page -> new PortalWay(List.of(page), true);

  private final AtomicInteger followed = new AtomicInteger();
  private final List<String> links = new CopyOnWriteArrayList<>();

  private final class Network implements PortalWatch.Search {
    @Override
    public PortalFinding probe() {
      return finding.get();
    }

    @Override
    public PortalWay follow(URI portal) {
      followed.incrementAndGet();
      return way.apply(portal);
    }

    @Override
    public void lookAtLinks() {
      links.add("look");
    }

    @Override
    public void forgetLinks() {
      links.add("forget");
    }
  }

  private final class Hosts implements PortalWatch.Gate, PortalNaming {
    @Override
    public void open(Collection<InetSocketAddress> hosts) {
      opening.complete(null);
      mayOpen.join();
      gate.add("open " + hosts);
    }

    @Override
    public void shut() {
      gate.add("shut");
    }

    @Override
    public void answer(Map<String, List<InetAddress>> hosts) {
      names.add(hosts.toString());
    }

    @Override
    public void end() {
      names.add("end");
    }
  }

  private PortalWatch watch() {
    Hosts hosts = new Hosts();
    return new PortalWatch(new Network(), hosts, hosts, INTERVAL, passed::incrementAndGet);
  }

  @Test
  void theWayToThePortalIsOpenUntilItLetsTheDeviceThrough() {
    URI portal = URI.create("http://192.0.2.7:8080/login");
    try (PortalWatch watch = watch()) {
      await().during(INTERVAL.multipliedBy(3)).until(gate::isEmpty);
      finding.set(new PortalFinding.Portal(portal));
      await().until(() -> portal.equals(watch.page()));
      assertThat(gate)
          .containsExactly("shut", "open [/192.0.2.7:80, /192.0.2.7:443, /192.0.2.7:8080]");
      finding.set(new PortalFinding.Portal(URI.create("http://192.0.2.7:8080/login?again")));
      await().during(INTERVAL.multipliedBy(3)).until(() -> gate.size() == 2);
      finding.set(new PortalFinding.Open());
      await().until(() -> passed.get() == 1);
      assertThat(watch.page()).isNull();
      assertThat(gate).hasSize(3).last().isEqualTo("shut");
    }
  }

  @Test
  void aTunnelThatCarriesEndsTheSearchAndShutsTheWay() {
    finding.set(new PortalFinding.Portal(URI.create("http://192.0.2.7/")));
    try (PortalWatch watch = watch()) {
      await().until(() -> watch.page() != null);
      watch.carries(true);
      await().until(() -> watch.page() == null);
      await().during(INTERVAL.multipliedBy(3)).until(() -> watch.page() == null);
      watch.carries(false);
      await().until(() -> watch.page() != null);
    }
    assertThat(gate).last().isEqualTo("shut");
  }

  @Test
  void aWatchThatEndsWhileItOpensTheWayShutsItAgain() {
    mayOpen = new CompletableFuture<>();
    finding.set(new PortalFinding.Portal(URI.create("http://192.0.2.7/")));
    PortalWatch watch = watch();
    opening.join();
    Thread closer = Thread.ofPlatform().start(watch::close);
    await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
    mayOpen.complete(null);
    await().until(() -> !closer.isAlive());
    assertThat(gate).last().isEqualTo("shut");
  }

  @Test
  void applicationsAreToldTheAddressesOfAPortalWithANameUntilItIsPassed() {
    finding.set(new PortalFinding.Portal(URI.create("http://localhost/login")));
    try (PortalWatch watch = watch()) {
      await().until(() -> names.size() == 2);
      assertThat(names.getFirst()).isEqualTo("end");
      assertThat(names.getLast()).startsWith("{localhost=[localhost/127.0.0.1");
      watch.carries(true);
      await().until(() -> names.size() == 3);
      assertThat(names.getLast()).isEqualTo("end");
    }
  }

  @Test
  void eachHostToWhichThePortalLeadsIsOpenedAndNamed() {
    URI gateway = URI.create("http://192.0.2.7/login");
    way =
        page ->
            new PortalWay(
                List.of(
                    page,
                    URI.create("https://localhost:8443/form"),
                    URI.create("http://nowhere.invalid/")),
                true);
    finding.set(new PortalFinding.Portal(gateway));
    try (PortalWatch watch = watch()) {
      await().until(() -> names.size() == 2);
      assertThat(watch.page()).as("a browser is led on from there").isEqualTo(gateway);
      assertThat(gate.getLast())
          .contains("/192.0.2.7:80", "/192.0.2.7:443")
          .contains("localhost/127.0.0.1:443", "localhost/127.0.0.1:8443");
      assertThat(names.getLast())
          .startsWith("{localhost=[localhost/127.0.0.1")
          .doesNotContain("nowhere");
      await().during(INTERVAL.multipliedBy(3)).until(() -> followed.get() == 1);
    }
  }

  @Test
  void aPageThatDoesNotAnswerIsFollowedAgainThreeTimesAtMost() {
    URI form = URI.create("http://192.0.2.9/form");
    way = page -> new PortalWay(followed.get() < 3 ? List.of(page) : List.of(page, form), false);
    finding.set(new PortalFinding.Portal(URI.create("http://192.0.2.7/login")));
    try (PortalWatch _ = watch()) {
      await().until(() -> !gate.isEmpty() && gate.getLast().contains("192.0.2.9"));
      await().during(INTERVAL.multipliedBy(3)).until(() -> followed.get() == 3);
    }
  }

  @Test
  void linksAreLookedAtWhileTheTunnelCarriesAndForgottenAfterwards() {
    try (PortalWatch watch = watch()) {
      watch.carries(true);
      await().until(() -> links.size() >= 2);
      finding.set(new PortalFinding.Portal(URI.create("http://192.0.2.7/login")));
      watch.carries(false);
      await().until(() -> watch.page() != null);
      assertThat(links).last().isEqualTo("forget");
      assertThat(gate.stream().filter(each -> each.startsWith("open"))).hasSize(1);
    }
  }

  @Test
  void aPortalWithoutANameNeedsNone() {
    finding.set(new PortalFinding.Portal(URI.create("http://192.0.2.7/login")));
    try (PortalWatch watch = watch()) {
      await().until(() -> watch.page() != null);
      assertThat(names).containsOnly("end");
    }
  }

  @Test
  void theSnaptsThatAreKnownAreAskedInTurnUnlessThereIsAPage() {
    List<String> snapts = List.of("snapt-1.test", "no host", "2001:db8::1");
    ProbedPages pages = new ProbedPages(new PortalSettings("snapt", INTERVAL_MIN), () -> snapts);
    assertThat(pages.next()).contains(URI.create("http://snapt-1.test/generate_204"));
    assertThat(pages.next()).isEmpty();
    assertThat(pages.next()).contains(URI.create("http://[2001:db8::1]/generate_204"));
    assertThat(pages.next()).contains(URI.create("http://snapt-1.test/generate_204"));
    assertThat(new ProbedPages(new PortalSettings("snapt", INTERVAL_MIN), List::of).next())
        .isEmpty();
    PortalSettings other = new PortalSettings("http://page.test/204", INTERVAL_MIN);
    assertThat(new ProbedPages(other, () -> snapts).next())
        .contains(URI.create("http://page.test/204"));
  }
}
