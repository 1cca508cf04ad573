package io.viaduct.denarii;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.viaduct.denarii.api.LoginFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests refusals before billing is asked, and answers that are not billing's.
class RefusalTest {
  @TempDir private Path home;
  private Path token;

  @BeforeEach
  void writeToken() throws Exception {
    token = Files.writeString(home.resolve("token"), "abc");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
  }

  private DenariiRun run(String... arguments) {
    return DenariiRun.of(home, Map.of("DENARII_TOKEN_FILE", token.toString()), arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "64|account alice --colour|Unknown option: '--colour'",
        "64|topup alice lots|an amount is a number with at most six decimals and a unit (den, mden, µden; without one, den), such as 2.5den; got 'lots'",
        "64|charges|name the account: a token file does not say whose it is",
        "64|charges alice --from soon|--from must be a time such as",
        "64|charges alice --follow --class HT_HD|--follow shows all new charges: leave out the filters",
        "64|charges alice --limit -1|--limit must be 0 or more, got -1",
        "64|tariff|name one of list, show, diff, check, publish, schedule, rollback",
        "64|verify --billing ftp://x|--billing must be a URL such as http://127.0.0.1:8082, got 'ftp://x'",
        "66|tariff check /nowhere/draft.yml|/nowhere/draft.yml"
      })
  void wrongUsageIsToldWithValueAndRule(int code, String line, String message) {
    DenariiRun run = run(line.split(" "));
    assertThat(run.err()).contains(message);
    assertThat(run.code()).as(run.err()).isEqualTo(code);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello\n", "{\"type\":\"charge\"}\n", "[1, 2]", "%PDF-1.7\n\0"})
  void aFileThatIsNoStatementIsToldFromABrokenOne(String content) throws Exception {
    Path file = Files.writeString(home.resolve("photo.jpg"), content);
    DenariiRun run = run("verify-statement", file.toString());
    assertThat(run.err())
        .startsWith("denarii: " + file + " is no signed statement (rule FORMAT: ")
        .contains("denarii statement --signed");
    assertThat(run.code()).isEqualTo(65);
    assertThat(run.out()).isEmpty();

    Files.writeString(file, content + "\n{\"type\":\"end\"}\n");
    DenariiRun broken = run("verify-statement", file.toString());
    assertThat(broken.out()).contains("account     unknown", "BROKEN      line 1, FORMAT");
    assertThat(broken.code()).isEqualTo(1);
  }

  @Test
  void withoutALogInTheRemedyIsNamed() {
    DenariiRun run = DenariiRun.of(home, Map.of(), "account");
    assertThat(run.err().strip())
        .isEqualTo("denarii: nobody has logged in: run denarii login --user NAME");
    assertThat(run.code()).isEqualTo(77);
  }

  @Test
  void aLogInThatHasEndedOrIsOpenToOthersIsNotSent() throws Exception {
    Path file = home.resolve("config/denarii/login.json");
    Map<String, String> variables = Map.of("XDG_CONFIG_HOME", home.resolve("config").toString());
    new LoginFile(file)
        .write(
            new LoginFile.Login(
                URI.create("http://127.0.0.1:1"),
                "alice",
                "abc",
                DenariiRun.NOW.minus(Duration.ofSeconds(1))));
    DenariiRun ended = DenariiRun.of(home, variables, "account");
    assertThat(ended.err()).contains("the log-in of alice ended at 2026-11-23T09:59:59Z");
    assertThat(ended.code()).isEqualTo(77);

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    DenariiRun open = DenariiRun.of(home, variables, "account");
    assertThat(open.err()).contains("chmod 600 " + file).doesNotContain("abc");
    assertThat(open.code()).isEqualTo(77);
  }

  @Test
  void aBillingThatIsAwayEndsWith69() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    DenariiRun run = run("verify", "--billing", "http://127.0.0.1:" + port);
    assertThat(run.err()).contains("billing at http://127.0.0.1:" + port + " does not answer");
    assertThat(run.code()).isEqualTo(69);
  }

  @Test
  void anotherServerInPlaceOfBillingIsNamedAsSuch() throws Exception {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext(
        "/",
        exchange -> {
          byte[] page = "<html>It works!</html>".getBytes(StandardCharsets.UTF_8);
          int status = exchange.getRequestURI().getPath().contains("ledger") ? 200 : 502;
          exchange.sendResponseHeaders(status, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    other.start();
    try {
      String url = "http://127.0.0.1:" + other.getAddress().getPort();
      DenariiRun page = run("verify", "--billing", url);
      assertThat(page.err()).contains("an answer that is not JSON ('<html>It works!</html>')");
      assertThat(page.code()).isEqualTo(69);
      DenariiRun gateway = run("explain", "1", "--billing", url);
      assertThat(gateway.err()).contains("an answer with status 502 that is not billing's");
      assertThat(gateway.code()).isEqualTo(69);
    } finally {
      other.stop(0);
    }
  }
}
