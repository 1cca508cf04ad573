package io.viaduct.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.rest.RestInterface;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The command line, the configuration file and the REST interface.
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
    byte[] before = Files.readAllBytes(key);
    assertThat(execute("keygen", key.toString())).isEqualTo(69);
    assertThat(Files.readAllBytes(key)).isEqualTo(before);
    assertThat(err.toString()).contains("exists already");
  }

  @Test
  void restShowsSnaptsAndRegistrationsToHoldersOfTheTokenOnly() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "");
        var context =
            RestInterface.start(rig.configuration.rest(), rig.bridge, rig.clock, rig.registry)) {
      String base = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
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
          .isEqualTo("{\"registrations\":[]}");
      HttpResponse<String> missing = get(base + "/api/v1/nothing", "rest-token");
      assertThat(missing.statusCode()).isEqualTo(404);
      assertThat(missing.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(rig.registry.get("viaduct.bridge.rest.refused").counter().count()).isEqualTo(2);

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
