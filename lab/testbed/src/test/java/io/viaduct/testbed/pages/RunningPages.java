package io.viaduct.testbed.pages;

import io.viaduct.billing.BillingApplication;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.spring.SpringService;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Billing in this process with its own PostgreSQL, and the pages in a process of their own, as
/// they are packaged: their Spring would configure billing's log-in for itself.
final class RunningPages implements AutoCloseable {
  static final String OPERATOR_PASSWORD = "operator-secret";

  private final SpringService billing;
  private final ApplicationContext parts;
  private final Process pages;
  private final Path log;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String token;
  private final int pagesPort;
  private final JdbcTemplate database;

  /// Pages whose bridge does not answer.
  ///
  /// @param limits the pages' limits that differ from their defaults, as YAML
  RunningPages(Path directory, String limits) throws Exception {
    this(directory, limits, URI.create("http://127.0.0.1:9"));
  }

  RunningPages(Path directory, String limits, URI bridge) throws Exception {
    billing = billing(directory);
    parts = billing.start();
    log = directory.resolve("webgui.log");
    database = owner(directory.resolve("billing"));
    pagesPort = freePort();
    pages = pages(directory, limits, bridge);
    try {
      awaitPages();
      token = logIn("operator", OPERATOR_PASSWORD);
    } catch (Exception | Error e) {
      close();
      throw e;
    }
  }

  private static JdbcTemplate owner(Path billing) throws IOException {
    DatabaseAddress owner = EmbeddedDatabase.running(billing).orElseThrow();
    return new JdbcTemplate(
        new SingleConnectionDataSource(owner.url(), owner.user(), owner.password(), true));
  }

  private static SpringService billing(Path directory) throws Exception {
    TlsSettings tls = new TestAuthority(directory.resolve("authority")).issue("danum-billing");
    Path file =
        Files.writeString(
            directory.resolve("billing.yml"),
            """
            rest: {port: 0}
            grpc: {port: 0}
            operations: {port: 0}
            tls: {certificate: %s, private-key: %s, trust: %s}
            database: {data-directory: %s, binaries-directory: %s}
            operator: {password-file: %s}
            sip-domain: ims.test
            credentials: {key-file: credential.key}
            verification-period: 24h
            logging: {level: warn}
            """
                .formatted(
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    directory.resolve("billing"),
                    Path.of("target", "postgresql").toAbsolutePath(),
                    TestAuthority.secret(
                        directory.resolve("operator.password"), OPERATOR_PASSWORD)));
    return BillingApplication.of(
        ConfigurationFile.load(file, BillingConfiguration.class), InstantSource.system());
  }

  private Process pages(Path directory, String limits, URI bridge) throws IOException {
    Path root = Path.of(System.getProperty("viaduct.root"));
    Path file =
        Files.writeString(
            directory.resolve("webgui.yml"),
            """
            http: {port: %d}
            operations: {port: 0}
            billing: {url: "http://127.0.0.1:%s"}
            bridge: {url: "%s", token-file: "%s"}
            %s
            """
                .formatted(
                    pagesPort,
                    parts.getEnvironment().getProperty("local.server.port"),
                    bridge,
                    TestAuthority.secret(directory.resolve("bridge.token"), "bridge-token"),
                    limits));
    Path jar;
    try (var jars = Files.newDirectoryStream(root.resolve("webgui/target"), "webgui-*.jar")) {
      jar = jars.iterator().next();
    }
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-jar",
            jar.toString(),
            "run",
            "--config",
            file.toString())
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  // The pages cannot tell their port to another process but in their log.
  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private void awaitPages() {
    Awaitility.await("the pages listen")
        .atMost(Duration.ofSeconds(90))
        .until(() -> {
          if (!pages.isAlive()) {
            throw new AssertionError(Files.readString(log));
          }
          try {
            return send(HttpRequest.newBuilder(address().resolve("/login")).GET()).statusCode()
                == 200;
          } catch (IOException e) {
            return false;
          }
        });
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /// The address of the pages.
  URI address() {
    return URI.create("http://127.0.0.1:" + pagesPort);
  }

  long pagesProcess() {
    return pages.pid();
  }

  /// Returns the role that owns billing's tables, which may write generated rows without triggers.
  JdbcTemplate database() {
    return database;
  }

  <T> T part(Class<T> type) {
    return parts.getBean(type);
  }

  private String logIn(String user, String password) throws Exception {
    return call(
            "POST",
            "/sessions",
            "{\"user\":\"%s\",\"password\":\"%s\"}".formatted(user, password),
            List.of())
        .get("token")
        .asString();
  }

  /// Sends a request to billing as the operator.
  JsonNode operator(String method, String path, String body, String... headers) throws Exception {
    List<String> all = new ArrayList<>(List.of("Authorization", "Bearer " + token));
    all.addAll(List.of(headers));
    return call(method, path, body, all);
  }

  private JsonNode call(String method, String path, String body, List<String> headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%s/api/v1%s"
                        .formatted(parts.getEnvironment().getProperty("local.server.port"), path)))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (!headers.isEmpty()) {
      request.headers(headers.toArray(String[]::new));
    }
    HttpResponse<String> answer = send(request);
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(method + " " + path + ": " + answer.body());
    }
    return JsonMapper.shared().readTree(answer.body().isEmpty() ? "{}" : answer.body());
  }

  /// Opens an account with the password `password-of-<id>` and a first top-up.
  void open(String account, long microdenarii) throws Exception {
    operator(
        "POST",
        "/accounts",
        "{\"id\":\"%1$s\",\"displayName\":\"%1$s\",\"password\":\"password-of-%1$s\",\"role\":\"user\"}"
            .formatted(account));
    operator(
        "POST",
        "/accounts/" + account + "/top-ups",
        "{\"amountMicrodenarii\":\"%d\",\"reference\":\"invoice 2026-0017\"}"
            .formatted(microdenarii),
        "Idempotency-Key",
        "top-up-of-" + account);
  }

  @Override
  public void close() {
    pages.destroy();
    billing.close();
  }
}
