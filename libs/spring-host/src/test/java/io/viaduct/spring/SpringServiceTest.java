package io.viaduct.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.operations.Garbage;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.operations.Readiness;
import io.viaduct.spring.sample.SampleApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;

/// A sample service as operators and callers see it.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringServiceTest {
  private static final String OVERRIDING = "server.servlet.context-path";
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

  record Settings(String word) {}

  private final HttpClient client = HttpClient.newHttpClient();
  private final Settings settings = new Settings("checked");
  private final SpringService service = service("127.0.0.1", 0, 0).with(InstantSource.class, CLOCK);
  private ConfigurableApplicationContext context;

  private SpringService service(String host, int port, int operationsPort) {
    return SpringService.of(
            "sample",
            SampleApplication.class,
            settings,
            "rest",
            host,
            port,
            new OperationsSettings("127.0.0.1", operationsPort))
        .with(Map.of("spring.mvc.problemdetails.enabled", true));
  }

  @BeforeAll
  void start() throws IOException {
    System.setProperty(OVERRIDING, "/from-a-property");
    context = service.start();
  }

  @AfterAll
  void stop() {
    System.clearProperty(OVERRIDING);
    service.close();
    client.close();
  }

  private int port(String name) {
    return context.getEnvironment().getRequiredProperty("local." + name + ".port", Integer.class);
  }

  private HttpResponse<String> get(String server, String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(server) + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> withToken(String path) throws Exception {
    return get("server", path, "Authorization", "bearer right");
  }

  @Test
  void springReadsNoSettingButThoseOfTheConfiguration() throws Exception {
    assertThat(withToken("/api/v1/things").statusCode()).isEqualTo(200);
    assertThat(context.getEnvironment().getProperty(OVERRIDING)).isNull();
    assertThat(context.getEnvironment().getProperty("user.dir")).isNull();
  }

  @Test
  void theConfigurationAndTheGivenBeansArePartsOfTheApplication() {
    assertThat(context.getBean(Settings.class)).isSameAs(settings);
    assertThat(context.getBean(InstantSource.class)).isSameAs(CLOCK);
  }

  @Test
  void readinessNamesEachPartWithItsReason() throws Exception {
    Readiness readiness = context.getBean(Readiness.class);
    readiness.obstructed("database", "it does not answer");
    HttpResponse<String> missing = get("management", "/readyz");
    assertThat(missing.statusCode()).isEqualTo(503);
    assertThat(missing.body()).contains("\"database\":\"it does not answer\"");
    assertThat(get("management", "/livez").statusCode()).isEqualTo(200);

    readiness.cleared("database");
    assertThat(get("management", "/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void metersSurviveAGarbageCollectionAndNameTheBuild() throws Exception {
    Garbage.collect();
    HttpResponse<String> metrics = get("management", "/metrics");
    assertThat(metrics.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain");
    assertThat(metrics.body())
        .contains("viaduct_sample_total 7.0", "viaduct_build_info{", "service=\"sample\"")
        .contains("jvm_memory_used_bytes{", "process_files_open_files", "process_cpu_usage");
  }

  @Test
  void theOperationsPortNeedsNoTokenAndTheOtherPortHasNoOperations() throws Exception {
    assertThat(get("management", "/nothing").statusCode()).isEqualTo(404);
    for (String path : List.of("/livez", "/readyz", "/metrics")) {
      assertThat(get("server", path).statusCode()).as(path).isEqualTo(401);
      assertThat(withToken(path).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void aRequestWithoutTheRightTokenIsRefused() throws Exception {
    for (String wrong : List.of("Bearer wrong", "Bearer", "Basic right", "right")) {
      HttpResponse<String> answer = get("server", "/api/v1/things", "Authorization", wrong);
      assertThat(answer.statusCode()).as(wrong).isEqualTo(401);
      assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
      assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
      assertThat(answer.body()).contains("\"detail\":\"send the token\"");
    }
  }

  @Test
  void refusalsAreProblemsThatNoCacheKeeps() throws Exception {
    HttpResponse<String> query = withToken("/api/v1/things?stat=up");
    assertThat(query.statusCode()).isEqualTo(400);
    assertThat(query.body()).contains("unknown query parameter 'stat'; known parameters: state");
    HttpResponse<String> missing = withToken("/api/v1/nothing");
    assertThat(missing.statusCode()).isEqualTo(404);
    HttpResponse<String> error = withToken("/error");
    assertThat(error.statusCode()).isEqualTo(404);
    for (HttpResponse<String> answer : List.of(query, missing, error)) {
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }
  }

  @Test
  void aRequestThatTomcatRefusesIsAnsweredWithAProblemToo() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port("server"))) {
      socket
          .getOutputStream()
          .write("GET /%2F HTTP/1.0\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).contains(" 400 ", "application/problem+json", "no-store", "about:blank");
    }
  }

  @Test
  void aTakenPortIsOneLineThatNamesItsKey() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> service("127.0.0.1", port, 0).start())
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("rest.port", "127.0.0.1:" + port, "address already in use");
      assertThatThrownBy(() -> service("127.0.0.1", 0, port).start())
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("operations.port", "127.0.0.1:" + port);
      assertThatThrownBy(() -> service("192.0.2.1", 0, 0).start())
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("rest.host", "this machine has no such address");
    }
  }

  @Test
  void bothListenersMayHaveTheSamePortOnTwoAddresses() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
      port = free.getLocalPort();
    }
    try (SpringService second = service("127.0.0.2", port, port)) {
      ConfigurableApplicationContext other = second.start();
      assertThat(other.getEnvironment().getProperty("local.server.port", Integer.class))
          .isEqualTo(port);
      assertThat(other.getEnvironment().getProperty("local.management.port", Integer.class))
          .isEqualTo(port);
    }
  }
}
