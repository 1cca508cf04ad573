package io.viaduct.cnapt.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Follows the redirections of a portal whose hosts are two addresses of the loopback.
@Timeout(60)
class PortalWayTest {
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final Map<String, String> locations = new ConcurrentHashMap<>(); // of the paths
  private HttpServer gateway;
  private HttpServer cloud;

  @BeforeEach
  void serve() throws IOException {
    gateway = server("127.0.0.1");
    cloud = server("127.0.0.2");
  }

  @AfterEach
  void end() {
    gateway.stop(0);
    cloud.stop(0);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
  }

  private HttpServer server(String address) throws IOException {
    HttpServer made =
        HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral(address), 0), 5);
    made.createContext("/", this::answer);
    made.start();
    return made;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String location = locations.get(exchange.getRequestURI().getPath());
      if (location != null) {
        exchange.getResponseHeaders().set("Location", location);
      }
      exchange.sendResponseHeaders(location == null ? 200 : 302, -1);
    }
  }

  private static URI page(HttpServer of, String path) {
    InetSocketAddress at = of.getAddress();
    return URI.create("http://%s:%d%s".formatted(at.getHostString(), at.getPort(), path));
  }

  private PortalWay follow(URI from) {
    return new PortalProbe(new PageRequest(loops.next(), 0)).follow(from);
  }

  @Test
  void thePagesOfAllHostsAreFoundInOrder() {
    URI login = page(gateway, "/login");
    URI form = page(cloud, "/form?of=1");
    locations.put("/login", form.toString());
    assertThat(follow(login)).isEqualTo(new PortalWay(List.of(login, form), true));
  }

  @Test
  void aWayEndsAfterFiveRedirections() {
    for (int i = 0; i < 9; i++) {
      locations.put("/" + i, "/" + (i + 1));
    }
    assertThat(follow(page(gateway, "/0")).pages())
        .hasSize(5)
        .last()
        .isEqualTo(page(gateway, "/4"));
  }

  @Test
  void aCircleEndsTheWay() {
    locations.put("/a", "/b");
    locations.put("/b", "/a");
    assertThat(follow(page(gateway, "/a")).pages())
        .containsExactly(page(gateway, "/a"), page(gateway, "/b"));
  }

  @Test
  void aPageThatDoesNotAnswerIsOnTheWayWhichIsNotWhole() {
    URI gone = page(cloud, "/form");
    cloud.stop(0);
    locations.put("/login", gone.toString());
    URI login = page(gateway, "/login");
    assertThat(follow(login)).isEqualTo(new PortalWay(List.of(login, gone), false));
  }

  @Test
  void aPageWithTlsIsAskedByTls() {
    URI secure = URI.create(page(cloud, "/form").toString().replace("http:", "https:"));
    locations.put("/login", secure.toString());
    PortalWay way = follow(page(gateway, "/login"));
    assertThat(way.pages()).last().isEqualTo(secure);
    assertThat(way.isWhole()).as("the server speaks no TLS").isFalse();
  }
}
