package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PageAddresses;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.PseudoLocale;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import io.viaduct.webgui.Visitor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Opens each page in a language whose texts are in brackets. What has no brackets must be
/// something that billing or the bridge said, a number with its unit, or a proper name.
class PseudoLocaleTest {
  private static final String IN_BRACKETS =
      PseudoLocale.OPEN + "[^" + PseudoLocale.OPEN + PseudoLocale.CLOSE + "]*" + PseudoLocale.CLOSE;
  private static final Pattern UNIT =
      Pattern.compile(
          "(?<!\\p{L})[num\u00b5kMGTPE]?(den|bit|B|s|vu|min|h|d|Hz)(/(s|min|h|vu|MB|d))?\\b|(?<!\\p{L})(TCP|UDP|TLS|ICMP|tcp|udp|ICMPv6|UTC)\\b");
  private static final Pattern READ_OUT =
      Pattern.compile(
          "\\s(title|alt|placeholder|aria-label|data-label|data-text-[a-z-]+)=\"([^\"]*)\"");

  /// Proper names: ours, and those of the languages in themselves, longest first.
  private static List<String> names() {
    Languages languages = new Languages();
    List<String> names =
        new ArrayList<>(languages.offered().stream().map(languages::name).toList());
    names.add("Viaduct");
    names.add("sip.example.org"); // the server that the configuration names
    names.sort(Comparator.comparingInt(String::length).reversed());
    return names;
  }

  private PeerServer peer;
  private List<String> names = List.of();

  @BeforeEach
  void busyPeer() {
    peer = RunningWebgui.freshPeer();
    names = names(); // the pages offer the pseudo-locale only once they run
    Scenery.arrange(peer);
  }

  @Test
  void eachTextOfEachPageComesFromABundle() {
    List<String> foreign = new ArrayList<>();
    try (Visitor stranger = Visitor.anonymous();
        Visitor alice = Visitor.alice();
        Visitor olga = Visitor.operator()) {
      look(stranger, "/login?problem=wrong", foreign);
      PageAddresses.OF_USERS.forEach(address -> look(alice, address, foreign));
      PageAddresses.OF_OPERATORS.forEach(address -> look(olga, address, foreign));
      look(alice, "/accounts/bob", foreign);
      peer.billing = PeerServer.Mood.FAILING;
      look(alice, "/", foreign);
    }
    assertThat(foreign).isEmpty();
  }

  @Test
  void aRefusalIsSaidInTheLanguageOfThePageAndBillingsWordsAreMarkedAsEnglish() {
    List<String> foreign = new ArrayList<>();
    try (Visitor alice = Visitor.alice();
        Visitor olga = Visitor.operator()) {
      look(alice, "/accounts/alice/charges", foreign); // says the classes
      look(alice, "/accounts/alice/charges?from=yesterday", foreign);
      look(alice, "/accounts/alice/usage?from=yesterday", foreign);
      peer.refusesDecisions = true;
      String release = "/reports/held/7/release";
      String form = olga.get(release).body();
      Map<String, String> sent = new HashMap<>(Map.of("reason", "ticket 5"));
      List.of("_csrf", "idempotencyKey")
          .forEach(name -> sent.put(name, Visitor.hidden(form, name)));
      olga.post(release, sent);
      look(olga, "/reports", foreign);
    }
    assertThat(foreign).isEmpty();
    assertThat(peer.refusals()).hasSizeGreaterThan(1);
  }

  private void look(Visitor visitor, String address, List<String> foreign) {
    String page =
        visitor.get(address, "Accept", "text/html", "Accept-Language", PseudoLocale.TAG).body();
    assertThat(page).as(address).contains(PseudoLocale.OPEN);
    texts(page).stream()
        .filter(text -> !rest(text).isEmpty())
        .map(text -> address + ": " + text)
        .forEach(foreign::add);
  }

  private static List<String> texts(String page) {
    String visible =
        page.replaceAll("(?s)<(script|style)\\b.*?</\\1>|<!--.*?-->", "")
            .replaceAll("(?s)<small lang=\"en\"[^>]*>.*?</small>", ""); // marked as English
    List<String> texts = new ArrayList<>(List.of(visible.replaceAll("<[^>]*>", "\n").split("\n")));
    Matcher attribute = READ_OUT.matcher(visible);
    while (attribute.find()) {
      texts.add(attribute.group(2));
    }
    return texts;
  }

  /// Rest of a text without brackets, data, units and numbers.
  private String rest(String text) {
    String rest =
        text.replaceAll(IN_BRACKETS, " ")
            .replace("&amp;", "&")
            .replace("&nbsp;", " ")
            .replace("&#39;", "'")
            .replaceAll("\\d+(\\.\\d+)?E-?\\d+", " ");
    for (String said : peer.said()) {
      // Units and the symbols of a formula are no words of billing's.
      // A sentence of billing's is English: it must be marked so, and is no excuse for a text.
      boolean isWord =
          said.matches(".*[0-9].*|.{3,}")
              && !UNIT.matcher(said).matches()
              && !peer.refusals().contains(said);
      rest = isWord ? rest.replace(said, " ") : rest;
    }
    rest = UNIT.matcher(rest).replaceAll(" ");
    for (String name : names) {
      rest = rest.replace(name, " ");
    }
    return rest.replaceAll("[^\\p{L}]", "");
  }
}
