package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Shows how a charge comes about.
@Command(
    name = "explain",
    description = "Show how a charge comes about: what was measured, each step, the bill.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii explain 4711"})
final class ExplainCommand extends ReadingCall {
  @Parameters(paramLabel = "CHARGE", description = "number of the charge, from denarii charges")
  private String charge = "";

  @Option(
      names = "--revision",
      paramLabel = "N",
      description =
          "an earlier bill: 0 is the first one, each re-rating adds one; default: the bill that counts")
  private @Nullable Integer revision;

  @Override
  int run() throws IOException {
    BillingApi billing = billing();
    String path = "/charges/" + Pages.encoded(charge);
    JsonNode explained =
        billing.get(path + "/explain" + (revision == null ? "" : "?revision=" + revision));
    if (isJson()) {
      json(explained);
    } else {
      ExplanationText text = new ExplanationText(out());
      JsonNode explanation = explained.path("explanation");
      text.measured(explanation);
      out()
          .printf(
              "Tariff version %d%s%n",
              explained.path("tariffVersion").asInt(),
              explained.path("surchargeVersion").isNumber()
                  ? ", surcharge version " + explained.path("surchargeVersion").asInt()
                  : "");
      text.discount(explanation);
      text.steps(explanation);
      text.bill(explanation.path("bill"));
      if (revision == null) {
        text.payment(billing.get(path + "/payment"));
      }
      out()
          .println(
              explanation.path("equalsPosted").asBoolean()
                  ? "This is what was posted."
                  : "THIS IS NOT WHAT WAS POSTED: tell your operator the number of the charge.");
    }
    return 0;
  }
}
