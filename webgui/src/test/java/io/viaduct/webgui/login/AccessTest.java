package io.viaduct.webgui.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.Metrics;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/accounts", "/accounts/alice", "/charges/c1", "/snapts", "/reports"})
  void everyPageAsksForALogin(String path) {
    HttpResponse<String> answer = Visitor.anonymous().get(path);
    assertThat(answer.statusCode()).isEqualTo(302);
    assertThat(Visitor.location(answer)).endsWith("/login");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/accounts/bob",
        "/accounts/bob/charges",
        "/accounts/bob/events?rows=5",
        "/accounts/bob/charges.csv",
        "/accounts/bob/usage",
        "/accounts/bob/usage.csv",
        "/accounts/bob/top-ups",
        "/accounts/bob/credits",
        "/accounts/%62ob",
        "/accounts",
        "/snapts",
        "/snapts/table",
        "/reports"
      })
  void userSeesNeitherOtherAccountsNorOperatorPages(String path) {
    HttpResponse<String> answer = Visitor.alice().get(path);
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).doesNotContain("Bob B.").contains("Not open to you");
  }

  @Test
  void chargeOfAnotherAccountDoesNotExistForAUser() {
    peer.charges.add(PeerServer.charge("c-bob", "bob"));
    assertThat(Visitor.alice().get("/charges/c-bob").statusCode()).isEqualTo(404);
    assertThat(Visitor.operator().get("/charges/c-bob").statusCode()).isEqualTo(200);
  }

  @Test
  void operatorOpensAnyAccount() {
    HttpResponse<String> page = Visitor.operator().get("/accounts/bob");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(Visitor.text(page.body(), "balance")).isEqualTo("\u2212250 mden");
  }

  @Test
  void userCannotTopUpEvenTheOwnAccount() {
    Visitor alice = Visitor.alice();
    String csrf = Visitor.hidden(alice.get("/").body(), "_csrf");
    HttpResponse<String> answer = alice.post("/accounts/alice/top-ups", topUp(csrf));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(peer.received).isEmpty();
  }

  @Test
  void userCannotGiveCredit() {
    Visitor alice = Visitor.alice();
    String csrf = Visitor.hidden(alice.get("/").body(), "_csrf");
    assertThat(alice.post("/accounts/alice/credits", topUp(csrf)).statusCode()).isEqualTo(403);
    assertThat(Visitor.operator().post("/accounts/alice/credits", topUp("forged")).statusCode())
        .isEqualTo(403);
    assertThat(peer.received).isEmpty();
  }

  @Test
  void pathThatFailuresAreForwardedToIsNoPage() {
    assertThat(Visitor.alice().get("/error").statusCode()).isEqualTo(404);
  }

  /// The JDK's client sets no Host header, so the request is written by hand.
  private static String locationFor(String request) throws Exception {
    URI pages = RunningWebgui.pages();
    try (Socket socket = new Socket(pages.getHost(), pages.getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertThat(answer).startsWith("HTTP/1.1 302");
      assertThat(answer).doesNotContain("evil.example");
      return Visitor.first(answer, "(?i)\r\nlocation: ([^\r]*)");
    }
  }

  @Test
  void noRedirectRepeatsTheHostHeader() throws Exception {
    String headers =
        " HTTP/1.1\r\n"
            + "Host: evil.example\r\n"
            + "X-Forwarded-Host: evil.example\r\n"
            + "Connection: close\r\n";
    assertThat(locationFor("GET /" + headers + "Accept: text/html\r\n\r\n")).isEqualTo("/login");
    Visitor olga = Visitor.operator();
    String cookie = "Cookie: VIADUCT=" + olga.cookie("VIADUCT").orElseThrow().getValue() + "\r\n";
    assertThat(locationFor("GET /" + headers + cookie + "\r\n")).isEqualTo("/operator");
    peer.tokens.clear();
    assertThat(locationFor("GET /accounts" + headers + cookie + "\r\n"))
        .isEqualTo("/login?problem=ended");

    Visitor anybody = Visitor.anonymous();
    String csrf = Visitor.hidden(anybody.get("/login").body(), "_csrf");
    String session =
        "Cookie: VIADUCT=" + anybody.cookie("VIADUCT").orElseThrow().getValue() + "\r\n";
    // The page that was asked for is kept, but not the host that it was asked for under.
    locationFor(
        "GET /accounts/alice/charges?application=ssh"
            + headers
            + session
            + "Accept: text/html\r\n\r\n");
    String form =
        "username=alice&password=wonder+land&_csrf="
            + URLEncoder.encode(csrf, StandardCharsets.UTF_8);
    assertThat(
            locationFor(
                "POST /login"
                    + headers
                    + session
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                    + form.length()
                    + "\r\n\r\n"
                    + form))
        .isEqualTo("/accounts/alice/charges?application=ssh");
  }

  @Test
  void formWithoutCsrfTokenIsRefusedAndCounted() {
    Visitor olga = Visitor.operator();
    double before = Metrics.value("viaduct_webgui_requests_refused_total", "reason=\"csrf\"");
    assertThat(olga.post("/accounts/alice/top-ups", topUp("")).statusCode()).isEqualTo(403);
    assertThat(olga.post("/accounts/alice/top-ups", topUp("forged")).statusCode()).isEqualTo(403);
    assertThat(olga.post("/logout", Map.of()).statusCode()).isEqualTo(403);
    assertThat(peer.received).isEmpty();
    assertThat(Metrics.value("viaduct_webgui_requests_refused_total", "reason=\"csrf\""))
        .isEqualTo(before + 3);
  }

  @Test
  void loginWithoutCsrfTokenIsRefused() {
    assertThat(
            Visitor.anonymous()
                .post("/login", Map.of("username", "alice", "password", "wonder land"))
                .statusCode())
        .isEqualTo(403);
    assertThat(peer.tokens).isEmpty();
  }

  @Test
  void everyAnswerForbidsInlineScriptsForeignContentAndFraming() {
    Visitor alice = Visitor.alice();
    for (String path : new String[] {"/login", "/", "/accounts/bob", "/nowhere"}) {
      HttpResponse<String> page = alice.get(path);
      String policy = page.headers().firstValue("Content-Security-Policy").orElse("");
      assertThat(policy)
          .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
          .contains("frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'")
          .doesNotContain("unsafe");
      assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(page.headers().firstValue("Referrer-Policy")).contains("same-origin");
      assertThat(page.headers().firstValue("Cross-Origin-Opener-Policy")).contains("same-origin");
      assertThat(page.headers().firstValue("Cache-Control").orElse("")).contains("no-store");
      assertThat(page.body())
          .doesNotContain("<style", " style=", " onclick=", "javascript:")
          .doesNotContainPattern("(src|href)=\"(https?:)?//")
          .doesNotContainPattern("<script(?![^>]* src=)");
    }
  }

  @Test
  void everyStaticFileOfAPageIsServedByUsAndKept() {
    Visitor anybody = Visitor.anonymous();
    String page = anybody.get("/login").body();
    for (String pattern :
        new String[] {
          "<script src=\"([^\"]*htmx[^\"]*)\"",
          "<script src=\"([^\"]*live[^\"]*)\"",
          "stylesheet\" href=\"([^\"]*)\"",
          "icon\"[^>]*href=\"([^\"]*)\""
        }) {
      HttpResponse<String> file = anybody.get(Visitor.first(page, pattern));
      assertThat(file.statusCode()).as(pattern).isEqualTo(200);
      assertThat(file.body()).isNotEmpty();
      assertThat(file.headers().firstValue("Cache-Control").orElse(""))
          .contains("max-age=31536000");
    }
  }

  @Test
  void unknownAddressIsAPageOfOurs() {
    HttpResponse<String> answer = Visitor.alice().get("/nowhere");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("Nothing here").doesNotContain("Whitelabel");
  }

  private static Map<String, String> topUp(String csrf) {
    return Map.of(
        "_csrf",
        csrf,
        "idempotencyKey",
        UUID.randomUUID().toString(),
        "amount",
        "5",
        "reference",
        "test");
  }
}
