package io.viaduct.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Tests against a server that answers like billing; `FirstDayLabIT` uses the real billing.
class AddUserTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path root;
  private static final String TAG = "\"7\"";

  private HttpServer billing;
  private final Map<String, JsonNode> accounts = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() throws IOException {
    billing = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    billing.createContext("/api/v1/", this::answer);
    billing.start();
    assertThat(
            SetupRun.of("--domain", "ims.test", "--host", "198.51.100.7", "--out", root.toString())
                .code())
        .isZero();
  }

  @AfterEach
  void stop() {
    billing.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath().substring("/api/v1".length());
    String request = exchange.getRequestMethod() + " " + path;
    byte[] sent = exchange.getRequestBody().readAllBytes();
    JsonNode body = sent.length == 0 ? JSON.createObjectNode() : JSON.readTree(sent);
    requests.add(request + (sent.length == 0 ? "" : " " + body));
    String id = path.startsWith("/accounts/") ? path.split("/")[2] : "";
    if (request.equals("POST /sessions")) {
      boolean right =
          body.path("password").asString().equals(read("danum-billing/operator.password"));
      answer(
          exchange,
          right ? 201 : 401,
          right ? "{\"token\":\"t\"}" : "{\"detail\":\"wrong password\"}");
    } else if (!"Bearer t".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      answer(exchange, 401, "{\"detail\":\"no token\"}");
    } else if (request.equals("POST /accounts")) {
      accounts.put(body.path("id").asString(), body);
      answer(exchange, 201, "{}");
    } else if (accounts.containsKey(id)) {
      boolean changes = request.startsWith("PATCH");
      boolean isSeen = TAG.equals(exchange.getRequestHeaders().getFirst("If-Match"));
      exchange.getResponseHeaders().set("ETag", TAG);
      answer(exchange, changes && !isSeen ? 428 : 200, "{}");
    } else {
      answer(exchange, 404, "{\"detail\":\"no such account\"}");
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private String read(String file) throws IOException {
    return Files.readString(root.resolve(file)).strip();
  }

  private SetupRun user(String... arguments) {
    var words = new ArrayList<>(List.of("user"));
    words.addAll(List.of(arguments));
    words.addAll(
        List.of(
            "--out",
            root.toString(),
            "--billing",
            "http://127.0.0.1:" + billing.getAddress().getPort()));
    return SetupRun.of(words.toArray(String[]::new));
  }

  @Test
  void aUserGetsAnAccountTwoPasswordsAndADirectoryForTheDevice() throws IOException {
    SetupRun run = user("alice", "--display-name", "Alice A.");
    assertThat(run.code()).as(run.err()).isZero();
    JsonNode made = accounts.get("alice");
    assertThat(made.path("displayName").asString()).isEqualTo("Alice A.");
    assertThat(made.path("password").asString()).isEqualTo(read("users/alice/page.password"));
    assertThat(made.path("sipPassword").asString())
        .isEqualTo(read("users/alice/device/password"))
        .isNotEqualTo(made.path("password").asString());
    assertThat(read("users/alice/device/ca.pem")).isEqualTo(read("authority/ca.pem"));
    assertThat(read("users/alice/device/device.pem")).startsWith("-----BEGIN PRIVATE KEY-----");
    assertThat(read("users/alice/device/cnapt.yml"))
        .contains(
            "bridge: \"198.51.100.7\", domain: ims.test, user: \"alice\", password-file: password");
    assertThat(run.out())
        .contains("cnapt up --config device/cnapt.yml", "users/alice/page.password")
        .doesNotContain(made.path("password").asString(), made.path("sipPassword").asString());
  }

  @Test
  void aSecondRunChangesNothingAndASecondDeviceHasAKeyOfItsOwn() throws IOException {
    user("alice");
    String key = read("users/alice/device/device.pem");
    SetupRun again = user("alice");
    assertThat(again.out()).contains("was there already").doesNotContain("made ");
    assertThat(user("alice", "--device", "phone").code()).isZero();
    assertThat(read("users/alice/phone/password")).isEqualTo(read("users/alice/device/password"));
    assertThat(read("users/alice/phone/device.pem")).isNotEqualTo(key);
    assertThat(requests).filteredOn(each -> each.startsWith("POST /accounts ")).hasSize(1);
  }

  @Test
  void theKeyOfADeviceMayBeMadeOnTheDevice() {
    SetupRun run = user("alice", "--key-on-device");
    assertThat(root.resolve("users/alice/device/device.pem")).doesNotExist();
    assertThat(run.out()).contains("cnapt keygen device/device.pem");
  }

  @Test
  void anAccountThatWasMadeElsewhereKeepsItsPasswordsUntilNewOnesAreAskedFor() throws IOException {
    accounts.put("bob", JSON.createObjectNode());
    SetupRun run = user("bob");
    assertThat(run.code()).isEqualTo(78);
    assertThat(run.err()).contains("--new-passwords");
    assertThat(root.resolve("users")).doesNotExist();
    assertThat(user("bob", "--new-passwords").code()).isZero();
    assertThat(requests.getLast())
        .startsWith("PATCH /accounts/bob")
        .contains(read("users/bob/page.password"), read("users/bob/device/password"));
  }

  @Test
  void newPasswordsReachEveryDirectoryOfTheUser() throws IOException {
    user("alice");
    user("alice", "--device", "phone");
    String before = read("users/alice/phone/password");
    assertThat(user("alice", "--new-passwords").code()).isZero();
    assertThat(read("users/alice/phone/password"))
        .isNotEqualTo(before)
        .isEqualTo(read("users/alice/device/password"))
        .isEqualTo(read("users/alice/sip.password"));
  }

  @Test
  void aTopUpIsBookedInMicrodenarii() {
    assertThat(user("alice", "--top-up", "12.5").code()).isZero();
    assertThat(requests.getLast())
        .startsWith("POST /accounts/alice/top-ups")
        .contains("\"12500000\"");
    assertThat(user("alice", "--top-up", "0.0000001").code()).isEqualTo(64);
    assertThat(user("alice", "--top-up", "-1").err()).contains("got -1");
  }

  @Test
  void aRefusalOfBillingIsTold() {
    billing.removeContext("/api/v1/");
    billing.createContext(
        "/api/v1/", exchange -> answer(exchange, 401, "{\"detail\":\"wrong password\"}"));
    SetupRun run = user("alice");
    assertThat(run.code()).isEqualTo(69);
    assertThat(run.err()).contains("billing refuses POST /sessions: wrong password (401)");
    assertThat(root.resolve("users")).doesNotExist();
  }

  @Test
  void aBadNameIsRefusedBeforeBillingIsAsked() {
    for (String name : List.of("../x", "a b", "", "a/b")) {
      assertThat(user(name).code()).as(name).isEqualTo(64);
    }
    assertThat(requests).isEmpty();
  }
}
