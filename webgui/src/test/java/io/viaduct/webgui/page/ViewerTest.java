package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.PseudoLocale;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The viewer's language and time zone, as a browser tells them.
class ViewerTest {
  @BeforeEach
  void freshPeer() {
    RunningWebgui.freshPeer().charges.add(PeerServer.charge("c1", "alice"));
  }

  @Test
  void timesAreInTheZoneOfTheCookieAndThePageSaysWhich() {
    try (Visitor alice = Visitor.alice()) {
      String utc = alice.get("/charges/c1").body();
      assertThat(Visitor.text(utc, "zone")).isEqualTo("Times: UTC");
      assertThat(utc).contains(">2026-11-20 10:01:00<");
      alice.keep("VIADUCT_ZONE", "Asia/Seoul");
      String seoul = alice.get("/charges/c1").body();
      assertThat(Visitor.text(seoul, "zone")).isEqualTo("Times: Asia/Seoul");
      assertThat(seoul).contains(">2026-11-20 19:01:00<", "datetime=\"2026-11-20T10:01:00Z\"");
      // The last three are zones that have no region: billing knows none of them.
      for (String unknown : List.of("Mars/Olympus", "Japan", "EST5EDT", "Zulu")) {
        alice.keep("VIADUCT_ZONE", unknown);
        assertThat(Visitor.text(alice.get("/").body(), "zone")).as(unknown).isEqualTo("Times: UTC");
      }
    }
  }

  @Test
  void filtersAreReadInTheViewersZone() {
    PeerServer peer = RunningWebgui.freshPeer();
    try (Visitor alice = Visitor.alice()) {
      alice.keep("VIADUCT_ZONE", "Asia/Seoul");
      alice.get("/accounts/alice/charges?from=2026-11-20T10:00&to=2026-11-21");
      assertThat(peer.asked.getLast())
          .contains("from=2026-11-20T01%3A00%3A00Z", "to=2026-11-20T15%3A00%3A00Z");
    }
  }

  @Test
  void languageIsTheBrowsersUnlessAnotherIsChosen() {
    try (Visitor stranger = Visitor.anonymous()) {
      String english = stranger.get("/login", "Accept-Language", "xx, en;q=0.5").body();
      assertThat(english).contains("<html lang=\"en\">", ">Log in</h1>");
      String pseudo = stranger.get("/login", "Accept-Language", PseudoLocale.TAG).body();
      assertThat(pseudo)
          .contains("<html lang=\"en-XA\">", PseudoLocale.OPEN + "Log in" + PseudoLocale.CLOSE);
      assertThat(stranger.get("/login", "Accept-Language", ";;=q").body())
          .contains("<html lang=\"en\">");
    }
  }

  @Test
  void chosenLanguageStaysAndThePageIsShownAgain() {
    try (Visitor stranger = Visitor.anonymous()) {
      String page = stranger.get("/login").body();
      HttpResponse<String> answer = choose(stranger, page, PseudoLocale.TAG, "/login?problem=out");
      assertThat(Visitor.location(answer)).isEqualTo("/login?problem=out");
      assertThat(stranger.get("/login").body()).contains("<html lang=\"en-XA\">");
      choose(stranger, page, "tlh", "/login");
      assertThat(stranger.get("/login").body()).contains("<html lang=\"en-XA\">");
    }
  }

  @Test
  void pageThatCannotBeShownAgainOrIsAStrangersErrorHasNoChoiceOfALanguage() {
    try (Visitor stranger = Visitor.anonymous();
        Visitor olga = Visitor.operator()) {
      HttpResponse<String> missing = stranger.get("/assets/none.css");
      assertThat(missing.statusCode()).isEqualTo(404);
      assertThat(missing.body()).contains("data-testid=\"error\"").doesNotContain("language-form");
      assertThat(missing.headers().allValues("Set-Cookie")).isEmpty();
      assertThat(stranger.get("/login").body()).contains("language-form");
      assertThat(olga.get("/charges/none").body()).contains("language-form");
      HttpResponse<String> refused =
          olga.post("/accounts/alice/top-ups", Map.of("idempotencyKey", "none"));
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).doesNotContain("language-form");
    }
  }

  @Test
  void choiceOfALanguageLeadsToNoForeignPage() {
    try (Visitor stranger = Visitor.anonymous()) {
      String page = stranger.get("/login").body();
      assertThat(Visitor.location(choose(stranger, page, "en", "http://evil.example//evil/x")))
          .isEqualTo("/");
      assertThat(Visitor.location(choose(stranger, page, "en", "no address"))).isEqualTo("/");
    }
  }

  private static HttpResponse<String> choose(
      Visitor visitor, String page, String language, String from) {
    return visitor.post(
        "/language",
        Map.of("language", language, "_csrf", Visitor.hidden(page, "_csrf")),
        "Referer",
        from);
  }
}
