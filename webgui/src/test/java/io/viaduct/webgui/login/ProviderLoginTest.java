package io.viaduct.webgui.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.Visitor;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The log-in at a real provider, step by step, with a browser without scripts.
class ProviderLoginTest {
  private static PagesWithProvider running;
  private static PeerServer peer;
  private static TestProvider provider;
  private static URI pages;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    running = new PagesWithProvider(folder);
    peer = running.peer;
    provider = running.provider;
    pages = running.address;
  }

  @AfterAll
  static void stop() {
    running.close();
  }

  @BeforeEach
  void freshPeer() {
    peer.reset();
  }

  /// Follows the redirect of an answer.
  private static HttpResponse<String> follow(Visitor visitor, HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(302);
    return visitor.get(answer.uri().resolve(Visitor.location(answer)).toString());
  }

  /// Goes to the provider, logs in there, and returns the redirect back to the pages.
  private static HttpResponse<String> identify(Visitor visitor, String person) {
    HttpResponse<String> there = visitor.get("/oauth2/authorization/provider");
    assertThat(Visitor.location(there))
        .startsWith(provider.issuer() + "/oauth2/authorize?")
        .contains("code_challenge_method=S256", "&state=", "&nonce=", "response_type=code");
    HttpResponse<String> form = follow(visitor, follow(visitor, there));
    HttpResponse<String> known =
        visitor.post(
            provider.issuer() + "/login",
            Map.of(
                "username",
                person,
                "password",
                "at the provider",
                "_csrf",
                Visitor.first(form.body(), "name=\"_csrf\"[^>]*value=\"([^\"]*)\"")));
    HttpResponse<String> back = follow(visitor, known);
    assertThat(Visitor.location(back)).startsWith(pages + "/login/oauth2/code/provider?code=");
    return back;
  }

  @Test
  void aVisitorOfTheProviderReturnsToThePageThatWasAskedFor() {
    try (Visitor alice = new Visitor(pages)) {
      assertThat(alice.get("/login").body()).contains("Acme", "data-testid=\"login-provider\"");
      alice.get("/accounts/alice/charges");
      HttpResponse<String> back = identify(alice, "alice");
      HttpResponse<String> answer = follow(alice, back);
      assertThat(Visitor.location(answer)).endsWith("/accounts/alice/charges");
      HttpResponse<String> page = follow(alice, answer);
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(peer.idTokens).hasSize(1);
      assertThat(page.body()).doesNotContain(peer.idTokens.getFirst());

      HttpResponse<String> again = follow(alice, back);
      assertThat(Visitor.location(again))
          .as("a code and a state count once")
          .contains("/login?problem=provider");
    }
  }

  @Test
  void logOutEndsTheSessionAtBillingAndLeadsToTheProvider() {
    try (Visitor alice = new Visitor(pages)) {
      follow(alice, identify(alice, "alice"));
      HttpResponse<String> page = alice.get("/accounts/alice/charges");
      assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("form-action 'self' " + provider.issuer());
      HttpResponse<String> out =
          alice.post("/logout", Map.of("_csrf", Visitor.hidden(page.body(), "_csrf")));
      assertThat(peer.tokens).isEmpty();
      assertThat(Visitor.location(out))
          .startsWith(provider.issuer() + "/connect/logout?id_token_hint=");
      HttpResponse<String> back = follow(alice, out);
      assertThat(Visitor.location(back)).isEqualTo(pages + "/login");
      assertThat(Visitor.location(alice.get("/accounts/alice/charges"))).endsWith("/login");
    }
  }

  @Test
  void somebodyWithoutAnAccountIsToldSo() {
    try (Visitor stranger = new Visitor(pages)) {
      HttpResponse<String> refused = follow(stranger, identify(stranger, "stranger"));
      assertThat(Visitor.location(refused)).endsWith("/login?problem=unlinked");
      assertThat(stranger.get("/login?problem=unlinked").body())
          .contains("data-problem=\"unlinked\"");
      assertThat(Visitor.location(stranger.get("/"))).endsWith("/login");
    }
  }

  @Test
  void anAnswerThatThisBrowserDidNotAskForIsRefused() {
    try (Visitor alice = new Visitor(pages);
        Visitor mallory = new Visitor(pages)) {
      String foreign = Visitor.location(identify(mallory, "alice"));
      HttpResponse<String> refused = alice.get(foreign);
      assertThat(Visitor.location(refused)).contains("/login?problem=provider");
      assertThat(
              Visitor.location(
                  alice.get("/login/oauth2/code/provider?error=access_denied&state=x")))
          .contains("/login?problem=provider");
      assertThat(peer.idTokens).isEmpty();
    }
  }

  @Test
  void aPasswordIsStillAWayIn() {
    try (Visitor bob = new Visitor(pages)) {
      assertThat(Visitor.location(bob.logIn("bob", "builder"))).endsWith("/");
      String csrf = Visitor.hidden(bob.get("/accounts/bob/charges").body(), "_csrf");
      assertThat(Visitor.location(bob.post("/logout", Map.of("_csrf", csrf))))
          .endsWith("/login?problem=out");
    }
  }
}
