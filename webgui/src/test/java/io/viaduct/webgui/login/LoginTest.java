package io.viaduct.webgui.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoginTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  @Test
  void rightPasswordLeadsToTheBalance() {
    Visitor alice = Visitor.anonymous();
    HttpResponse<String> answer = alice.logIn("alice", "wonder land");
    assertThat(answer.statusCode()).isEqualTo(302);
    HttpResponse<String> home = alice.get("/");
    assertThat(home.statusCode()).isEqualTo(200);
    assertThat(home.body()).contains("data-microdenarii=\"12345678\"");
    assertThat(Visitor.text(home.body(), "balance")).isEqualTo("12.3 den");
  }

  @Test
  void wrongPasswordSaysSoAndOpensNothing() {
    Visitor alice = Visitor.anonymous();
    HttpResponse<String> answer = alice.logIn("alice", "guess");
    assertThat(Visitor.location(answer)).endsWith("/login?problem=wrong");
    assertThat(alice.get("/login?problem=wrong").body()).contains("User or password is not right.");
    assertThat(Visitor.location(alice.get("/"))).endsWith("/login");
    assertThat(peer.tokens).isEmpty();
    assertThat(peer.loginAttempts).as("billing is asked once: its throttle counts").hasValue(1);
  }

  @Test
  void unknownUserLooksLikeWrongPassword() {
    assertThat(Visitor.location(Visitor.anonymous().logIn("nobody", "x")))
        .endsWith("/login?problem=wrong");
  }

  @Test
  void overlongPasswordIsRefusedWithoutAskingBilling() {
    peer.billing = PeerServer.Mood.FAILING;
    assertThat(Visitor.location(Visitor.anonymous().logIn("alice", "x".repeat(300))))
        .endsWith("/login?problem=wrong");
  }

  @Test
  void throttledVisitorIsToldToWait() {
    peer.throttling = true;
    assertThat(Visitor.location(Visitor.anonymous().logIn("alice", "wonder land")))
        .endsWith("/login?problem=throttled");
  }

  @Test
  void silentBillingIsNotCalledAWrongPassword() {
    peer.billing = PeerServer.Mood.FAILING;
    assertThat(Visitor.location(Visitor.anonymous().logIn("alice", "wonder land")))
        .endsWith("/login?problem=away");
  }

  @Test
  void sessionCookieIsHiddenFromScriptsAndOtherSitesAndChangesAtLogin() {
    Visitor alice = Visitor.anonymous();
    String cookie = alice.get("/login").headers().firstValue("Set-Cookie").orElse("");
    assertThat(cookie).startsWith("VIADUCT=").contains("HttpOnly").contains("SameSite=Lax");
    String before = alice.cookie("VIADUCT").orElseThrow().getValue();
    alice.logIn("alice", "wonder land");
    assertThat(alice.cookie("VIADUCT").orElseThrow().getValue()).isNotEqualTo(before);
  }

  @Test
  void billingLearnsWhereTheVisitorIsAndMarksTheBrowserForItsNextLogin() {
    Visitor alice = Visitor.anonymous();
    HttpResponse<String> answer = alice.logIn("alice", "wonder land");
    assertThat(answer.headers().allValues("Set-Cookie"))
        .filteredOn(cookie -> cookie.startsWith("VIADUCT_BROWSER="))
        .singleElement()
        .asString()
        .contains("mark-of-alice", "Path=/login", "Max-Age=15552000", "HttpOnly", "SameSite=Lax");
    alice.logIn("alice", "guess");
    assertThat(peer.loginMarks).containsExactly("", "mark-of-alice");
    assertThat(peer.loginsFrom).containsExactly("127.0.0.1", "127.0.0.1");
  }

  @Test
  void theVisitorsAddressIsWhatTheTrustedProxySaysNotWhatTheVisitorSays() {
    Visitor alice = Visitor.anonymous();
    String csrf = Visitor.hidden(alice.get("/login").body(), "_csrf");
    alice.post(
        "/login",
        Map.of("username", "alice", "password", "guess", "_csrf", csrf),
        "X-Forwarded-For",
        "1.1.1.1, 198.51.100.9");
    assertThat(peer.loginsFrom).containsExactly("198.51.100.9");
  }

  @Test
  void bearerTokenNeverReachesTheBrowser() {
    Visitor alice = Visitor.alice();
    peer.charges.add(PeerServer.charge("c1", "alice"));
    for (String path : new String[] {"/", "/accounts/alice/charges", "/charges/c1"}) {
      HttpResponse<String> page = alice.get(path);
      assertThat(page.body()).doesNotContain("secret-token");
      assertThat(page.headers().map().toString()).doesNotContain("secret-token");
    }
  }

  @Test
  void logoutEndsBothSessions() {
    Visitor alice = Visitor.alice();
    String csrf = Visitor.hidden(alice.get("/").body(), "_csrf");
    HttpResponse<String> answer = alice.post("/logout", Map.of("_csrf", csrf));
    assertThat(Visitor.location(answer)).endsWith("/login?problem=out");
    assertThat(peer.tokens).isEmpty();
    assertThat(Visitor.location(alice.get("/"))).endsWith("/login");
  }

  @Test
  void loginReturnsToThePageThatWasAskedFor() {
    Visitor alice = Visitor.anonymous();
    assertThat(alice.get("/accounts/alice/charges").statusCode()).isEqualTo(302);
    assertThat(Visitor.location(alice.logIn("alice", "wonder land")))
        .endsWith("/accounts/alice/charges");
  }

  @Test
  void loginNeverRedirectsToAnotherSite() {
    Visitor alice = Visitor.anonymous();
    alice.get("/login?continue=https://evil.example/&target=//evil.example");
    assertThat(Visitor.location(alice.logIn("alice", "wonder land")))
        .doesNotContain("evil")
        .endsWith("/");
  }

  @Test
  void tokenThatBillingForgotLeadsToTheLoginPage() {
    Visitor alice = Visitor.alice();
    peer.tokens.clear();
    assertThat(Visitor.location(alice.get("/"))).endsWith("/login?problem=ended");
    assertThat(Visitor.location(alice.get("/"))).endsWith("/login");
  }

  @Test
  void fragmentOfAnEndedSessionSendsItsPageToTheLogin() {
    HttpResponse<String> answer = Visitor.anonymous().get("/snapts/table", "HX-Request", "true");
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("HX-Redirect")).contains("/login");
  }
}
