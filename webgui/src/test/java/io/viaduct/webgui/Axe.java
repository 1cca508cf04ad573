package io.viaduct.webgui;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/// Looks for what a screen reader or a keyboard could not use (axe-core: WCAG 2.1 A and AA, and its
/// best practices).
public final class Axe {
  private static final String SCRIPT = script();

  private static final String RUN =
      """
      (patienceMs) => Promise.race([
        axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations
          .flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.target.join(' ') + ' '
            + node.failureSummary.replaceAll('\\n', ' ')))),
        new Promise((_, fail) => setTimeout(
          () => fail(new Error('axe has not ended within ' + patienceMs + ' ms')), patienceMs))])
      """;

  private Axe() {}

  private static String script() {
    try (var script =
        Axe.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
      return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One line for each thing found. An evaluation has no timeout in Playwright, so the script has.
  @SuppressWarnings("unchecked")
  public static List<String> violations(Page page) {
    page.evaluate(SCRIPT);
    return (List<String>) page.evaluate(RUN, Chromium.PATIENCE_MS);
  }
}
