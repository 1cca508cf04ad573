package io.viaduct.webgui;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.operations.Garbage;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.login.BillingLogin;
import io.viaduct.webgui.login.RefusedRequests;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The README and the texts say what the code does.
class ReadmeTest {
  /// A table of the fragment `listing`: its name is its hook and the prefix of its caption's key.
  private static final String LISTING = "listing\\('([a-z-]+)'";

  private static final Path RESOURCES = Path.of("src/main/resources");

  @Test
  void hooksOfTheTemplatesAreExactlyThoseOfTheReadme() throws IOException {
    String readme = Files.readString(Path.of("README.md"));
    String hooks = readme.substring(readme.indexOf("### Hooks for tests"));
    hooks = hooks.substring(0, hooks.indexOf("\n## "));
    Set<String> listed =
        found(hooks.substring(hooks.indexOf("|---|---|")), "`([a-z]+(?:-[a-z]+)*)`");
    listed.removeIf(word -> word.startsWith("data-"));
    Set<String> used = found(templates(), "data-testid=\"([a-z-]+)\"");
    used.addAll(found(templates(), LISTING));
    assertThat(listed).isEqualTo(used);
  }

  @Test
  void metricsOfThePagesAreExactlyThoseOfTheReadme() throws IOException {
    RunningWebgui.everyPart();
    Path file = RunningWebgui.part(WebguiConfiguration.class).bridge().tokenFile().file();
    var unused =
        WebguiReload.of(
            WebguiReload.source(file.resolveSibling("webgui.yml")),
            ConfigurationKeys.of(RunningWebgui.part(WebguiConfiguration.class)),
            RunningWebgui.context());
    Garbage.collect();
    String scraped = Metrics.text();
    assertThat(MetricNames.registered(scraped)).isEqualTo(MetricNames.named(Path.of("README.md")));
    assertThat(MetricNames.undescribed(scraped)).isEmpty();
    assertThat(MetricNames.misspelt(scraped)).isEmpty();
    assertThat(MetricNames.value(scraped, "viaduct_webgui_live_streams_max ")).isEqualTo(2000);
  }

  @Test
  void labelsOfTheMetricsAreExactlyThoseOfTheReadme() throws IOException {
    String readme = Files.readString(Path.of("README.md"));
    assertThat(readme)
        .contains("`outcome` = " + words(BillingLogin.Outcome.values()))
        .contains("`reason` = " + words(RefusedRequests.Reason.values()))
        .contains("`peer` = " + words(PeerName.values()))
        .contains("`reason` = " + words(PeerAwayException.Reason.values()));
  }

  @Test
  void everyTextThatAPageAsksForExistsAndNoOtherIsKept() throws IOException {
    Properties texts = new Properties();
    try (var reader = Files.newBufferedReader(RESOURCES.resolve("messages.properties"))) {
      texts.load(reader);
    }
    Set<String> asked = found(templates(), "#\\{([a-z][A-Za-z_.]*[a-zA-Z])[}(]");
    found(templates(), LISTING).forEach(name -> asked.add(name + ".caption"));
    found(templates(), LISTING + ", \\$\\{[a-zA-Z.]+\\}, \\$\\{ \\{([^}]*)\\} \\}", 2)
        .forEach(columns -> asked.addAll(found(columns, "'([a-z.]+)'")));
    assertThat(texts.stringPropertyNames()).containsAll(asked);
    Set<String> unused = new TreeSet<>(texts.stringPropertyNames());
    unused.removeAll(asked);
    // The rest is chosen at run time by a word of the model.
    unused.removeIf(key ->
        key.matches(
            "(away|access\\.comparison|calls\\.state|error|registrations\\.errors|class|step|refusal|filter|funds\\.(refused|state|wallet)|charges\\.(by|group)|charge\\.passedby|charge\\.paidby|charge\\.(discountbase|discountfor)|state|usage\\.by|topups|credits|credit\\.problem|charge\\.state|charge\\.delaysource|login\\.problem|reset\\.problem"
                + "|topup\\.problem|statement\\.kind|limits\\.(done|state)|payment\\.(problem|state)|voucher\\.problem|vouchers\\.(done|problem)|snapts\\.(done|state)|counts\\.what|unsigned\\.refusal|reports\\.cause|decision\\.(done|problem|text|title)"
                + "|user\\.(done|notice|problem|sip|state)|code\\.problem|factor\\.(done|state)"
                + "|discrepancies\\.(basis|done|state)|devicereports\\.state|reratings\\.(done|state)"
                + "|accounts\\.role|tokens\\.(done|scope)|webhooks\\.(done|event)|deliveries\\.state"
                + "|outcome|standing|accounts\\.sort|creditpage\\.(delivery|done|problem|refused|state)|creditoverview\\.result"
                + "|tariffs\\.state|tariff\\.(at|done|field|option|part|problem|table)|trial\\.(part|table)|trials\\.state|ledger\\.(done|outcome|rule))\\..*"));
    assertThat(unused).isEmpty();
  }

  private static String templates() throws IOException {
    try (Stream<Path> files = Files.list(RESOURCES.resolve("templates"))) {
      return files.map(ReadmeTest::read).collect(Collectors.joining("\n"));
    }
  }

  private static Set<String> found(String text, String pattern) {
    return found(text, pattern, 1);
  }

  private static Set<String> found(String text, String pattern, int group) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(group))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String words(Enum<?>[] values) {
    return Arrays.stream(values).map(MetricLabel::of).collect(Collectors.joining(", "));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
