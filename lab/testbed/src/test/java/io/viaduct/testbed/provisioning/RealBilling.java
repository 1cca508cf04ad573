package io.viaduct.testbed.provisioning;

import io.viaduct.billing.BillingApplication;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.spring.SpringService;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A real billing with its own PostgreSQL, on ports that the system chose, started from a
/// configuration file.
public final class RealBilling implements AutoCloseable {
  private static final String OPERATOR_PASSWORD = "operator-secret";

  private final SpringService service;
  private final ApplicationContext parts;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String operator;

  /// @param directory for its files
  /// @param authority signs its certificate
  /// @param more further keys of its configuration
  public RealBilling(Path directory, TestAuthority authority, String domain, String more)
      throws Exception {
    service = of(directory, authority.issue("danum-billing"), domain, more);
    try {
      parts = service.start();
      operator = logIn("operator", OPERATOR_PASSWORD);
    } catch (Exception e) {
      service.close();
      throw e;
    }
  }

  private static SpringService of(Path directory, TlsSettings tls, String domain, String more)
      throws Exception {
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
            sip-domain: %s
            credentials: {key-file: credential.key}
            %s
            """
                .formatted(
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    directory.resolve("billing"),
                    Path.of("target", "postgresql").toAbsolutePath(),
                    TestAuthority.secret(directory.resolve("operator.password"), OPERATOR_PASSWORD),
                    domain,
                    more));
    return BillingApplication.of(
        ConfigurationFile.load(file, BillingConfiguration.class), InstantSource.system());
  }

  /// Returns the port for bridges.
  int grpcPort() {
    return BillingApplication.grpcPort(parts);
  }

  /// Returns the address of its REST interface.
  public URI rest() {
    return URI.create(
        "http://127.0.0.1:" + parts.getEnvironment().getProperty("local.server.port"));
  }

  /// Returns the token of a new log-in.
  public String logIn(String user, String password) throws Exception {
    return send(
            "POST",
            "/sessions",
            "",
            "{\"user\":\"%s\",\"password\":\"%s\"}".formatted(user, password),
            Map.of())
        .get("token")
        .asString();
  }

  /// Sends a request as the operator.
  ///
  /// @throws AssertionError with billing's words if it refuses
  public JsonNode send(String method, String path, String body) throws Exception {
    return send(method, path, operator, body, Map.of());
  }

  /// Adds money to an account, as the operator.
  public void topUp(String account, long microdenarii) throws Exception {
    var unused =
        send(
            "POST",
            "/accounts/" + account + "/top-ups",
            operator,
            "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}".formatted(microdenarii),
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
  }

  /// Changes a resource in the version that it has now, as the operator.
  ///
  /// @throws AssertionError with billing's words if it refuses
  public JsonNode change(String path, String body) throws Exception {
    return send("PATCH", path, operator, body, Map.of("If-Match", tag(path)));
  }

  /// Deletes a resource in the version that it has now, as the operator.
  ///
  /// @throws AssertionError with billing's words if it refuses
  public void delete(String path) throws Exception {
    delete(path, path);
  }

  /// Deletes a part of a resource in the version that the resource has now, as the operator.
  ///
  /// @throws AssertionError with billing's words if it refuses
  public void delete(String path, String resource) throws Exception {
    send("DELETE", path, operator, "", Map.of("If-Match", tag(resource)));
  }

  private String tag(String path) throws Exception {
    HttpRequest read =
        HttpRequest.newBuilder(rest().resolve("/api/v1" + path))
            .header("Authorization", "Bearer " + operator)
            .build();
    return http.send(read, HttpResponse.BodyHandlers.discarding())
        .headers()
        .firstValue("ETag")
        .orElseThrow(() -> new AssertionError("GET " + path + " has no ETag"));
  }

  /// Sends a request.
  ///
  /// @param token empty for none
  /// @throws AssertionError with billing's words if it refuses
  public JsonNode send(
      String method, String path, String token, String body, Map<String, String> headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(rest().resolve("/api/v1" + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    headers.forEach(request::header);
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(method + " " + path + ": " + answer.body());
    }
    return JsonMapper.shared().readTree(answer.body().isEmpty() ? "{}" : answer.body());
  }

  @Override
  public void close() {
    http.close();
    service.close();
  }
}
