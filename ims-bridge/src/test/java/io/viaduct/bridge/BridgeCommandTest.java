package io.viaduct.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.Ed25519;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.EdECPublicKey;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Tests of the command line, the configuration file and the REST interface.
@Timeout(120)
class BridgeCommandTest {
  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String... words) {
    CommandLine line = BridgeCommand.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(words);
  }

  @Test
  void checkPrintsTheConfigurationWithoutItsSecrets() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      assertThat(execute("check", "--config", rig.file.toString())).isZero();
    }
    assertThat(out.toString())
        .contains("domain: ims.test")
        .doesNotContain("rest-token")
        .doesNotContain("alice-secret");
  }

  @Test
  void theOutputOfCheckIsAValidConfiguration() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      assertThat(execute("check", "--config", rig.file.toString())).isZero();
    }
    String printed = out.toString();
    Path again = Files.writeString(directory.resolve("again.yml"), printed);
    out.getBuffer().setLength(0);
    assertThat(execute("check", "--config", again.toString())).as(err.toString()).isZero();
    assertThat(out.toString()).isEqualTo(printed);
  }

  @Test
  void aTakenPortIsOneLineWithItsKeyHostAndPortAndExitCode69() throws Exception {
    String text;
    Path file;
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      file = rig.file;
      text = Files.readString(file);
    }
    String[][] listeners = {
      {"sip: {host: 127.0.0.1, port: 0", "sip: {host: 127.0.0.1, port: %d", "sip.port"},
      {"grpc: {host: 127.0.0.1, port: 0", "grpc: {host: 127.0.0.1, port: %d", "grpc.port"},
      {"rest: {port: 0", "rest: {port: %d", "rest.port"},
      {"operations: {port: 0", "operations: {port: %d", "operations.port"}
    };
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      for (String[] listener : listeners) {
        err.getBuffer().setLength(0);
        Files.writeString(
            file, text.replace(listener[0], listener[1].formatted(taken.getLocalPort())));
        assertThat(execute("run", "--config", file.toString())).as(listener[2]).isEqualTo(69);
        assertThat(err.toString())
            .contains(listener[2], "127.0.0.1:" + taken.getLocalPort(), "address already in use")
            .hasLineCount(1);
      }
    }
    try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      err.getBuffer().setLength(0);
      Files.writeString(
          file, text.replace(listeners[0][0], listeners[0][1].formatted(taken.getLocalPort())));
      assertThat(execute("run", "--config", file.toString())).isEqualTo(69);
      assertThat(err.toString()).contains("sip.port", "address already in use").hasLineCount(1);
    }
  }

  @Test
  void anUnknownKeyStopsWith78AndNamesIt() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      Files.writeString(rig.file, Files.readString(rig.file) + "\nsipp: {port: 1}\n");
      assertThat(execute("run", "--config", rig.file.toString())).isEqualTo(78);
    }
    assertThat(err.toString()).contains("sipp").hasLineCount(1);
  }

  @Test
  void aBadValueStopsWith78AndNamesKeyValueAndRule() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      Files.writeString(
          rig.file, Files.readString(rig.file).replace("lifetime: 60s", "lifetime: 1s"));
      assertThat(execute("check", "--config", rig.file.toString())).isEqualTo(78);
    }
    assertThat(err.toString())
        .contains("token")
        .contains("lifetime must be 5s..24h")
        .contains("PT1S");
  }

  @Test
  void theFormerKeyOfTheUsersIsRefusedWithTheirNewPlace() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      Files.writeString(rig.file, Files.readString(rig.file) + "\nsubscribers: users.yml\n");
      assertThat(execute("check", "--config", rig.file.toString())).isEqualTo(78);
    }
    assertThat(err.toString()).contains("imports: {subscribers: FILE}").hasLineCount(1);
  }

  @Test
  void aMissingOptionIsWrongUsage() {
    assertThat(execute("run")).isEqualTo(64);
  }

  @Test
  void keygenWritesAKeyForItsOwnerAloneAndNeverOverwrites() throws Exception {
    Path key = directory.resolve("new.key");
    assertThat(execute("keygen", key.toString())).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    byte[] raw = Ed25519.raw((EdECPublicKey) Ed25519.readPair(key).getPublic());
    assertThat(out.toString())
        .as("a line of YAML, with the id that logs show")
        .isEqualTo(
            "accepted-keys: [\"%s\"] # of token; logs show key %s%n"
                .formatted(Base64.getEncoder().encodeToString(raw), Ed25519.id(raw)));
    byte[] before = Files.readAllBytes(key);
    assertThat(execute("keygen", key.toString())).isEqualTo(69);
    assertThat(Files.readAllBytes(key)).isEqualTo(before);
    assertThat(err.toString()).contains("exists already");
  }

  @Test
  void restShowsSnaptsAndRegistrationsToHoldersOfTheTokenOnly() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      String base = "http://127.0.0.1:" + rig.bridge.restPort();
      assertThat(get(base + "/api/v1/snapts", "wrong").statusCode()).isEqualTo(401);
      HttpResponse<String> none = get(base + "/api/v1/snapts", "");
      assertThat(none.statusCode()).isEqualTo(401);
      assertThat(none.headers().firstValue("Content-Type")).contains("application/problem+json");

      JsonNode snapts =
          JsonMapper.builder()
              .build()
              .readTree(get(base + "/api/v1/snapts", "rest-token").body())
              .required("snapts");
      assertThat(snapts.size()).isEqualTo(2);
      assertThat(snapts.get(0).required("id").stringValue()).isEqualTo("snapt-1");
      assertThat(snapts.get(0).required("owner").stringValue()).isEqualTo("acme");
      assertThat(snapts.get(0).required("state").stringValue()).isEqualTo("unknown");
      assertThat(get(base + "/api/v1/registrations", "rest-token").body())
          .isEqualTo("{\"registrations\":[],\"total\":0,\"next\":null}");
      assertThat(get(base + "/api/v1/sip-refusals", "rest-token").body())
          .isEqualTo("{\"refusals\":[]}");
      HttpResponse<String> missing = get(base + "/api/v1/nothing", "rest-token");
      assertThat(missing.statusCode()).isEqualTo(404);
      assertThat(missing.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(rig.registry.get("viaduct_bridge_rest_refused").counter().count()).isEqualTo(2);

      HttpResponse<String> unknown = get(base + "/api/v1/snapts?state=up", "rest-token");
      assertThat(unknown.statusCode()).isEqualTo(400);
      assertThat(unknown.body())
          .contains("unknown query parameter 'state'; this resource has none");
      HttpResponse<String> error = get(base + "/error", "rest-token");
      assertThat(error.statusCode()).isEqualTo(404);
      for (HttpResponse<String> answer : List.of(none, missing, unknown, error)) {
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
      }
    }
  }

  private static HttpResponse<String> get(String uri, String token) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }
}
