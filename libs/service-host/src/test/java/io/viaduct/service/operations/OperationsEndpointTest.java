package io.viaduct.service.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.Secret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class OperationsEndpointTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  record Status(String name, int sessions) {}

  private final HttpClient http = HttpClient.newHttpClient();
  private final ProcessMetrics metrics = new ProcessMetrics("snapt", OperationsEndpointTest.class);
  private final Readiness readiness = new Readiness("bridge");
  private final OperationsEndpoint endpoint = new OperationsEndpoint(metrics, readiness);
  private InetSocketAddress address;

  @TempDir Path folder;

  @BeforeEach
  void listen() throws IOException {
    address = endpoint.listen(new OperationsSettings("127.0.0.1", 0));
  }

  @AfterEach
  void close() {
    endpoint.close();
    metrics.close();
    http.close();
  }

  private HttpResponse<String> ask(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void readinessFollowsThePartsAndGivesTheirReasons() throws Exception {
    readiness.obstructed("tun", "no device yet");
    HttpResponse<String> before = ask("GET", "/readyz");
    assertThat(before.statusCode()).isEqualTo(503);
    assertThat(before.body()).isEqualTo("bridge: starting\ntun: no device yet\n");
    readiness.cleared("bridge");
    readiness.cleared("tun");
    HttpResponse<String> after = ask("GET", "/readyz");
    assertThat(after.statusCode()).isEqualTo(200);
    assertThat(after.body()).isEqualTo("ready\n");
  }

  @Test
  void metricsSayWhatRunsAndHowTheMachineIs() throws Exception {
    metrics.registry().counter("viaduct_packets_refused", "reason", "replayed").increment(3);
    HttpResponse<String> answer = ask("GET", "/metrics");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).get().asString().contains("0.0.4");
    assertThat(answer.body())
        .contains("viaduct_build_info{")
        .contains("service=\"snapt\"")
        .contains("viaduct_packets_refused_total{reason=\"replayed\"} 3.0")
        .contains("jvm_memory_used_bytes")
        .contains("process_files_open_files");
  }

  @Test
  void theStatusIsToldOnTheUnixSocketOnly() throws Exception {
    Path socket = folder.resolve("run").resolve("snapt.sock");
    endpoint.listen(socket, () -> new Status("snäpt-1", 7));
    assertThat(OperationsClient.status(socket, PATIENCE).strip())
        .isEqualTo("{\"name\":\"snäpt-1\",\"sessions\":7}");
    assertThat(ask("GET", "/status").statusCode()).isEqualTo(404);
    assertThat(ask("GET", "/livez").statusCode()).isEqualTo(200);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rw-------");
    endpoint.close();
    assertThat(socket).doesNotExist();
  }

  @Test
  void aStatusThatFailsIsSaidToTheAskingCommand() throws Exception {
    Path socket = folder.resolve("s");
    endpoint.listen(
        socket,
        () -> {
          throw new IllegalStateException("token=secret");
        });
    assertThatThrownBy(() -> OperationsClient.status(socket, PATIENCE))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("500")
        .hasMessageContaining("see the log")
        .hasMessageNotContaining("secret");
  }

  @Test
  void aSocketLeftByADeadProcessIsReplacedAndOneInUseIsNot() throws Exception {
    Path socket = folder.resolve("s");
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThatThrownBy(() -> OperationsClient.status(socket, PATIENCE))
        .hasMessageContaining("not running");
    endpoint.listen(socket, () -> "one");
    OperationsEndpoint second = new OperationsEndpoint(metrics, readiness);
    assertThatThrownBy(() -> second.listen(socket, () -> "two"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another process listens on it");
    second.close();
    assertThat(OperationsClient.status(socket, PATIENCE)).contains("one");
  }

  @Test
  void aProcessThatDoesNotRunIsSaidToBeUnavailable() {
    assertThatThrownBy(() -> OperationsClient.status(folder.resolve("none"), PATIENCE))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("not running");
    assertThat(UnavailableException.EXIT_CODE).isEqualTo(69);
  }

  @Test
  void aProcessThatHangsIsGivenUpInTime() throws Exception {
    Path socket = folder.resolve("s");
    try (ServerSocketChannel mute = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      mute.bind(UnixDomainSocketAddress.of(socket));
      assertThatThrownBy(() -> OperationsClient.status(socket, Duration.ofMillis(200)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("within 200 ms");
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      assertThatThrownBy(
              () -> endpoint.listen(new OperationsSettings("127.0.0.1", taken.getLocalPort())))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(String.valueOf(taken.getLocalPort()))
          .hasMessageContaining("operations.port")
          .hasMessageContaining("address already in use");
    }
  }

  @Test
  void onlyGetIsAnsweredAndOnlyWhatExists() throws Exception {
    assertThat(ask("DELETE", "/metrics").statusCode()).isEqualTo(405);
    assertThat(ask("GET", "/secrets").statusCode()).isEqualTo(404);
    assertThat(ask("GET", "/secrets").body()).contains("/metrics /livez /readyz");
  }

  @Test
  void aPathThatCannotBeReadIsAnsweredTooAndNothingAfterTheLastAnswer() throws Exception {
    assertThat(raw("GET /%zz HTTP/1.1\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(raw("GET /livez HTTP/1.0\r\n\r\nGET /livez HTTP/1.0\r\n\r\n"))
        .containsOnlyOnce("alive");
  }

  @Test
  void rubbishAndEndlessRequestsEndTheConnection() throws Exception {
    assertThat(raw("\u0000\u0001rubbish\r\n\r\n")).contains("400");
    String endless = "GET / HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(20_000) + "\r\n\r\n";
    assertThat(raw(endless)).startsWith("HTTP/1.1 4");
    String body = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n";
    assertThat(raw(body)).startsWith("HTTP/1.1 413");
    assertThat(ask("GET", "/livez").statusCode()).isEqualTo(200);
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", address.getPort())) {
      socket.setSoTimeout(5000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      byte[] answer = new byte[4096];
      int length = socket.getInputStream().read(answer);
      return length < 0 ? "" : new String(answer, 0, length, StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> new OperationsSettings("127.0.0.1", 65536))
        .hasMessageContaining("0 to 65535, got 65536");
    assertThatThrownBy(() -> new OperationsSettings(" ", 1)).hasMessageContaining("host");
  }

  @Test
  void readinessHoldsABoundedNumberOfParts() {
    for (int i = 0; i < Readiness.OBSTACLES_MAX - 1; i++) {
      readiness.obstructed("part " + i, "x");
    }
    assertThatThrownBy(() -> readiness.obstructed("one more", "x")).hasMessageContaining("64");
    readiness.obstructed("bridge", "changed its reason");
  }

  @Test
  void anActionIsTakenOnTheUnixSocketWithItsParameters() throws Exception {
    Path socket = folder.resolve("act.sock");
    endpoint.listen(
        socket,
        () -> new Status("snapt-1", 0),
        Map.of(
            "/drain",
            (_, parameters) -> {
              if (!parameters.getOrDefault("ms", "").equals("5")) {
                throw new IllegalArgumentException("ms must be 5, got " + parameters.get("ms"));
              }
              return new Status("draining", 5);
            },
            "/undrain",
            (_, _) -> {
              throw new IllegalStateException("this process is stopping");
            }));
    assertThat(OperationsClient.act(socket, "/drain?ms=5", PATIENCE))
        .isEqualTo("{\"name\":\"draining\",\"sessions\":5}\n");
    assertThatThrownBy(() -> OperationsClient.act(socket, "/drain?ms=6", PATIENCE))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("400")
        .hasMessageContaining("ms must be 5, got 6");
    assertThatThrownBy(() -> OperationsClient.act(socket, "/fill", PATIENCE))
        .hasMessageContaining("available actions: /drain /undrain");
    assertThatThrownBy(() -> OperationsClient.act(socket, "/undrain", PATIENCE))
        .hasMessageContaining("409")
        .hasMessageContaining("this process is stopping");
    assertThatThrownBy(() -> OperationsClient.act(socket, "/drain?ms=%zz", PATIENCE))
        .hasMessageContaining("two hexadecimal digits");
    assertThat(OperationsClient.status(socket, PATIENCE)).contains("snapt-1");
    assertThat(ask("POST", "/drain?ms=5").statusCode()).as("not over TCP").isEqualTo(405);
  }

  private HttpResponse<String> post(InetSocketAddress at, String path, String authorization)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(at.getPort(), path)))
            .POST(HttpRequest.BodyPublishers.noBody());
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void anActionByTcpNeedsTheOperatorsTokenAndIsRefusedWithAReasonThatIsCounted() throws Exception {
    Map<String, OperationsAction> actions = Map.of("/drain", (caller, _) -> new Status(caller, 5));
    Path file = Files.writeString(folder.resolve("token"), "s3cret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    InetSocketAddress at =
        endpoint.listen(
            new OperationsSettings("127.0.0.1", 0),
            new OperatorAccess(
                actions, Optional.of(Secret.of(file.toString())), metrics.registry()));
    HttpResponse<String> none = post(at, "/drain", null);
    assertThat(none.statusCode()).isEqualTo(401);
    assertThat(none.headers().firstValue("WWW-Authenticate"))
        .hasValue("Bearer realm=\"operations\"");
    assertThat(none.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(none.body()).contains("\"status\":401", "Authorization: Bearer");
    assertThat(post(at, "/drain", "Bearer other").statusCode()).isEqualTo(401);
    assertThat(post(at, "/drain", "Basic s3cret").statusCode()).isEqualTo(401);
    HttpResponse<String> done = post(at, "/drain", "Bearer s3cret");
    assertThat(done.statusCode()).isEqualTo(200);
    assertThat(done.body()).contains("127.0.0.1");
    assertThat(post(at, "/reboot", "Bearer s3cret").statusCode()).isEqualTo(404);
    assertThat(refused("no_token")).isEqualTo(2);
    assertThat(refused("wrong_token")).isEqualTo(1);
  }

  @Test
  void withoutATokenFileEveryActionByTcpIsForbidden() throws Exception {
    InetSocketAddress at =
        endpoint.listen(
            new OperationsSettings("127.0.0.1", 0),
            new OperatorAccess(
                Map.of("/drain", (_, _) -> new Status("drained", 1)),
                Optional.empty(),
                metrics.registry()));
    HttpResponse<String> refused = post(at, "/drain", "Bearer s3cret");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("operations.token-file");
    assertThat(refused("not_configured")).isEqualTo(1);
  }

  private double refused(String reason) {
    return metrics
        .registry()
        .get("viaduct_operations_refused")
        .tag("reason", reason)
        .counter()
        .count();
  }
}
