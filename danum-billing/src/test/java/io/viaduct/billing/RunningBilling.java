package io.viaduct.billing;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.spring.SpringService;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A complete billing process with real sockets, on the shared PostgreSQL.
public final class RunningBilling implements AutoCloseable {
  public static final String OPERATOR_PASSWORD = "operator-secret";
  private static final JsonMapper JSON = new JsonMapper();

  private final SpringService service;

  /// The parts of the running billing.
  public final ApplicationContext parts;

  public final TestAuthority authority;
  private final HttpClient http = HttpClient.newHttpClient();

  private RunningBilling(SpringService service, ApplicationContext parts, TestAuthority authority) {
    this.service = service;
    this.parts = parts;
    this.authority = authority;
  }

  public static RunningBilling start(Path folder, InstantSource clock) throws Exception {
    return start(folder, clock, "");
  }

  public static RunningBilling start(Path folder, InstantSource clock, String more)
      throws Exception {
    return start(folder, clock, SharedDatabase.database().access(), more);
  }

  /// Starts billing on a database of its own, whose tariff is the shipped one.
  ///
  /// @param access such as that of [SharedDatabase#separate]
  public static RunningBilling start(
      Path folder, InstantSource clock, DatabaseAccess access, String more) throws Exception {
    TestAuthority authority = new TestAuthority(folder);
    TlsSettings tls = authority.issue("danum-billing");
    DatabaseAddress database = access.application();
    DatabaseAddress owner = access.owner();
    secret(folder, "database-password", database.password());
    secret(folder, "owner-password", owner.password());
    secret(folder, "operator-password", OPERATOR_PASSWORD);
    Path file =
        Files.writeString(
            folder.resolve("billing.yml"),
            """
            rest: {port: 0}
            grpc: {port: 0}
            operations: {port: 0}
            tls: {certificate: %s, private-key: %s, trust: %s}
            database: {url: '%s', user: %s, password-file: %s, owner-user: %s, owner-password-file: %s}
            operator: {password-file: %s}
            sip-domain: ims.test
            credentials: {key-file: %s}
            settlement-period: 100ms
            snapt-owners: {snapt-acme: acme}
            %s
            """
                .formatted(
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    database.url(),
                    database.user(),
                    folder.resolve("database-password"),
                    owner.user(),
                    folder.resolve("owner-password"),
                    folder.resolve("operator-password"),
                    SharedDatabase.CREDENTIAL_KEY,
                    more));
    SpringService service =
        BillingApplication.of(ConfigurationFile.load(file, BillingConfiguration.class), clock);
    try {
      return new RunningBilling(service, service.start(), authority);
    } catch (Exception e) {
      service.close();
      throw e;
    }
  }

  /// Writes a file with a secret.
  public static Path secret(Path folder, String name, String text) throws Exception {
    Path file = Files.writeString(folder.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /// An HTTP answer, with its body as JSON if it is JSON.
  public record Answer(int status, JsonNode body, HttpResponse<String> raw) {
    public String problem() {
      return body.path("type").asString().replace("urn:viaduct:problem:", "");
    }
  }

  /// Opens a connection to gRPC with a certificate for a name, as a bridge has one.
  public ManagedChannel channel(String name) throws Exception {
    return channel(authority.material(name));
  }

  /// Opens a connection to gRPC with a certificate.
  public ManagedChannel channel(TlsMaterial tls) throws Exception {
    return NettyChannelBuilder.forAddress("localhost", grpcPort())
        .sslContext(GrpcSslContexts.configure(tls.clientBuilder(), SslProvider.JDK).build())
        .build();
  }

  public int restPort() {
    return port("local.server.port");
  }

  public int grpcPort() {
    return BillingApplication.grpcPort(parts);
  }

  private int port(String property) {
    return parts.getEnvironment().getRequiredProperty(property, Integer.class);
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + restPort() + path);
  }

  public Answer call(
      String method, String path, String token, String body, Map<String, String> headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    headers.forEach(request::header);
    HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    boolean isOneDocument =
        !answer.headers().firstValue("Content-Type").orElse("").contains("jsonl");
    JsonNode json =
        isOneDocument && (answer.body().startsWith("{") || answer.body().startsWith("["))
            ? JSON.readTree(answer.body())
            : JSON.createObjectNode();
    return new Answer(answer.statusCode(), json, answer);
  }

  public Answer get(String path, String token) throws Exception {
    return call("GET", path, token, null, Map.of());
  }

  /// Reads a whole list in pages of two rows, and returns one field of each row.
  public List<String> paged(String path, String token, String list, String field) throws Exception {
    List<String> all = new ArrayList<>();
    String cursor = "";
    do {
      String page = path + (path.contains("?") ? "&" : "?") + "limit=2&cursor=" + cursor;
      JsonNode answer = get(page, token).body();
      JsonNode rows = answer.get(list);
      if (rows.size() > 2) {
        throw new AssertionError(rows.size() + " rows in " + page);
      }
      rows.forEach(row -> all.add(row.get(field).asString()));
      cursor = answer.path("next").asString("");
    } while (!cursor.isEmpty());
    return all;
  }

  public Answer post(String path, String token, String body) throws Exception {
    return call("POST", path, token, body, Map.of());
  }

  /// Changes a resource in the version that it has now.
  public Answer change(String path, String token, String body) throws Exception {
    return call("PATCH", path, token, body, ifMatch(path, token));
  }

  /// Returns the entity tag of a resource.
  public String tag(String path, String token) throws Exception {
    return get(path, token).raw().headers().firstValue("ETag").orElseThrow();
  }

  /// Returns the header that names the version which a resource has now.
  public Map<String, String> ifMatch(String path, String token) throws Exception {
    return Map.of("If-Match", tag(path, token));
  }

  public String logIn(String user, String password) throws Exception {
    Answer answer =
        post(
            "/api/v1/sessions",
            null,
            "{\"user\":\"%s\",\"password\":\"%s\"}".formatted(user, password));
    if (answer.status() != 201) {
      throw new AssertionError(answer.raw().body());
    }
    return answer.body().get("token").asString();
  }

  public String operator() throws Exception {
    return logIn("operator", OPERATOR_PASSWORD);
  }

  /// Opens a user's account with the password `password-of-<id>`.
  public void openAccount(String operator, String id) throws Exception {
    openAccount(operator, id, "user");
  }

  /// Opens an account with the password `password-of-<id>`.
  public void openAccount(String operator, String id, String role) throws Exception {
    Answer answer =
        post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"%s\",\"password\":\"password-of-%s\",\"role\":\"%s\"}"
                .formatted(id, id, role));
    if (answer.status() != 201) {
      throw new AssertionError(answer.raw().body());
    }
  }

  public String metrics() throws Exception {
    return http.send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + port("local.management.port") + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /// Returns the value of a counter, found by the start of its line.
  public double counter(String line) throws Exception {
    return metrics()
        .lines()
        .filter(l -> l.startsWith(line))
        .mapToDouble(l -> Double.parseDouble(l.substring(l.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Override
  public void close() {
    service.close();
  }
}
