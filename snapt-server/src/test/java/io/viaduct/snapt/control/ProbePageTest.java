package io.viaduct.snapt.control;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.snapt.control.ProbePage.Outcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProbePageTest {
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final ProbePage page = new ProbePage(loops);
  private InetSocketAddress at;

  @BeforeEach
  void start() throws Exception {
    at = page.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void end() {
    page.stop();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
  }

  private String ask(String request) throws Exception {
    try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  @Test
  void thePageAnswersWithoutContentAndCloses() throws Exception {
    String answer = ask("GET /generate_204 HTTP/1.1\r\nhost: snapt.test\r\n\r\n");
    assertThat(answer)
        .startsWith("HTTP/1.1 204 No Content\r\n")
        .endsWith("\r\n\r\n")
        .contains("cache-control: no-store")
        .hasSizeLessThan(100);
    assertThat(page.outcomes().of(Outcome.ANSWERED)).isOne();
  }

  @Test
  void nothingElseIsServed() throws Exception {
    assertThat(ask("GET /status HTTP/1.1\r\nhost: a\r\n\r\n")).startsWith("HTTP/1.1 404");
    assertThat(ask("POST /generate_204 HTTP/1.1\r\nhost: a\r\n\r\n")).startsWith("HTTP/1.1 404");
    assertThat(ask("GET /" + "a".repeat(600) + " HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400");
    assertThat(ask("rubbish\r\n\r\n")).startsWith("HTTP/1.1 400");
    assertThat(page.outcomes().of(Outcome.NOT_FOUND)).isEqualTo(2);
    assertThat(page.outcomes().of(Outcome.MALFORMED)).isEqualTo(2);
    assertThat(page.outcomes().of(Outcome.ANSWERED)).isZero();
  }

  @Test
  void oneAddressCannotTakeAllConnections() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        open.add(new Socket(at.getAddress(), at.getPort()));
      }
      assertThat(ask("")).isEmpty();
      assertThat(page.outcomes().of(Outcome.CONNECTIONS_MAX)).isOne();
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }
}
