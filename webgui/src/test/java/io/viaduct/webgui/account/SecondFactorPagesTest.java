package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.zxing.BinaryBitmap;
import com.google.zxing.RGBLuminanceSource;
import com.google.zxing.common.HybridBinarizer;
import com.google.zxing.qrcode.QRCodeReader;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.SecondFactorPeer;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SecondFactorPagesTest {
  private static final String PAGE = "/accounts/olga/second-factor";
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  private static HttpResponse<String> code(Visitor visitor, String code) {
    String form = visitor.get("/login/code").body();
    return visitor.post(
        "/login/code", Map.of("code", code, "_csrf", Visitor.hidden(form, "_csrf")));
  }

  private static HttpResponse<String> post(Visitor visitor, String path, String code) {
    return visitor.post(
        path, Map.of("code", code, "_csrf", Visitor.hidden(visitor.get(PAGE).body(), "_csrf")));
  }

  @Test
  void aLogInHasTwoStepsAndReturnsToThePageThatWasAskedFor() {
    peer.factors.on.add("olga");
    try (Visitor olga = Visitor.anonymous()) {
      olga.get("/audit");
      assertThat(Visitor.location(olga.logIn("olga", "operates"))).endsWith("/login/code");
      assertThat(Visitor.location(olga.get("/audit"))).as("not yet").endsWith("/login");
      String page = olga.get("/login/code").body();
      assertThat(page)
          .doesNotContain("challenge-of-olga")
          .contains("autocomplete=\"one-time-code\"");
      String before = olga.cookie("VIADUCT").orElseThrow().getValue();

      assertThat(code(olga, "000000").body()).contains("data-problem=\"wrong\"");
      HttpResponse<String> answer = code(olga, SecondFactorPeer.CODE);

      assertThat(Visitor.location(answer)).endsWith("/audit");
      assertThat(olga.get("/audit").statusCode()).isEqualTo(200);
      assertThat(olga.cookie("VIADUCT").orElseThrow().getValue())
          .as("another session id")
          .isNotEqualTo(before);
      assertThat(Visitor.location(olga.get("/login/code"))).as("used up").endsWith("/login");
    }
  }

  @Test
  void aThrottledAndALateCodeAreToldApart() {
    peer.factors.on.add("olga");
    try (Visitor olga = Visitor.anonymous()) {
      olga.logIn("olga", "operates");
      peer.factors.blocked.add("olga");
      assertThat(code(olga, SecondFactorPeer.CODE).body()).contains("data-problem=\"throttled\"");
      peer.factors.on.clear();
      assertThat(Visitor.location(code(olga, SecondFactorPeer.CODE)))
          .endsWith("/login?problem=late");
    }
    try (Visitor stranger = Visitor.anonymous()) {
      assertThat(Visitor.location(stranger.get("/login/code"))).endsWith("/login");
    }
  }

  @Test
  void aPhoneReadsTheQrCodeAndTheRecoveryCodesAreShownOnce() throws Exception {
    try (Visitor olga = Visitor.operator()) {
      post(olga, PAGE, "");
      String page = olga.get(PAGE).body();
      assertThat(scanned(page)).isEqualTo(SecondFactorPeer.URI);
      assertThat(page).contains("GEZD GNBV");
      post(olga, PAGE + "/confirm", "000000");
      assertThat(olga.get(PAGE).body()).as("the same key").contains("GEZD GNBV");

      post(olga, PAGE + "/confirm", SecondFactorPeer.CODE);
      page = olga.get(PAGE).body();
      assertThat(page).contains("ABCD-EFGH-IJKL-MNOP").doesNotContain("GEZD GNBV");
      assertThat(olga.get(PAGE).body()).doesNotContain("ABCD-EFGH-IJKL-MNOP");
    }
  }

  /// Paints the page's path and reads it as a phone would.
  private static String scanned(String page) throws Exception {
    int size = Integer.parseInt(Visitor.first(page, "(?i)viewBox=\"0 0 (\\d+) "));
    int scale = 4;
    int[] pixels = new int[size * scale * size * scale];
    Arrays.fill(pixels, 0xffffff);
    Matcher module =
        Pattern.compile("M(\\d+) (\\d+)h1v1h-1z")
            .matcher(Visitor.first(page, "<path d=\"([^\"]*)"));
    while (module.find()) {
      int x = Integer.parseInt(module.group(1)) * scale;
      int y = Integer.parseInt(module.group(2)) * scale;
      for (int row = y; row < y + scale; row++) {
        Arrays.fill(pixels, row * size * scale + x, row * size * scale + x + scale, 0);
      }
    }
    RGBLuminanceSource picture = new RGBLuminanceSource(size * scale, size * scale, pixels);
    return new QRCodeReader().decode(new BinaryBitmap(new HybridBinarizer(picture))).getText();
  }

  @Test
  void whereItIsRequiredThereIsNoOtherPageUntilItIsOn() {
    peer.factors.required.add("olga");
    try (Visitor olga = Visitor.anonymous()) {
      assertThat(Visitor.location(olga.logIn("olga", "operates"))).endsWith(PAGE);
      assertThat(Visitor.location(olga.get("/operator"))).endsWith(PAGE);
      assertThat(olga.get(PAGE).body()).contains("data-testid=\"factor-required\"");
      post(olga, PAGE, "");
      post(olga, PAGE + "/confirm", SecondFactorPeer.CODE);
      assertThat(olga.get("/operator").statusCode()).isEqualTo(200);
      assertThat(olga.get(PAGE).body()).doesNotContain("data-testid=\"factor-end-form\"");
    }
  }

  @Test
  void itIsTurnedOffWithACodeAndResetByAnotherOperator() {
    peer.factors.on.add("alice");
    try (Visitor alice = Visitor.anonymous();
        Visitor olga = Visitor.operator()) {
      alice.logIn("alice", "wonder land");
      code(alice, SecondFactorPeer.CODE);
      String own = "/accounts/alice/second-factor";
      String page = alice.get(own).body();
      alice.post(
          own + "/end",
          Map.of("code", SecondFactorPeer.CODE, "_csrf", Visitor.hidden(page, "_csrf")));
      assertThat(peer.factors.on).isEmpty();

      peer.factors.on.add("alice");
      String shown = olga.get(own).body();
      assertThat(shown).contains("data-testid=\"factor-reset-form\"");
      olga.post(own + "/reset", Map.of("_csrf", Visitor.hidden(shown, "_csrf")));
      assertThat(peer.factors.orders).endsWith("DELETE alice");
      assertThat(alice.get(PAGE).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void anAuditorSetsUpTheOwnOneAndResetsNone() {
    peer.factors.on.add("alice");
    try (Visitor aude = Visitor.signedIn("aude", "audits all")) {
      String own = "/accounts/aude/second-factor";
      String page = aude.get(own).body();
      assertThat(page).contains("data-testid=\"factor-begin-form\"");
      assertThat(aude.post(own, Map.of("_csrf", Visitor.hidden(page, "_csrf"))).statusCode())
          .isEqualTo(302);
      String other = aude.get("/accounts/alice/second-factor").body();
      assertThat(other).doesNotContain("data-testid=\"factor-reset-form\"");
      assertThat(
              aude.post(
                      "/accounts/alice/second-factor/reset",
                      Map.of("_csrf", Visitor.hidden(page, "_csrf")))
                  .statusCode())
          .isEqualTo(403);
    }
  }
}
