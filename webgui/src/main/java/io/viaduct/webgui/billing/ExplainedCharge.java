package io.viaduct.webgui.billing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// Explanation of a charge by billing. The page's script computes the charge again from the
/// explanation itself.
///
/// @param explanation as billing wrote it
public record ExplainedCharge(JsonNode explanation) {
  /// Most steps that are shown.
  private static final int STEPS_MAX = 100;

  public ExplainedCharge {
    Objects.requireNonNull(explanation);
  }

  /// The explanation as JSON text. Doubles are written so that reading returns the same bits.
  public String json() {
    return explanation.toString();
  }

  /// True if flows of the same application are priced together at what the path offered.
  public boolean isOffered() {
    return explanation.path("point").asString("").equals("OFFERED");
  }

  /// The computation in its order.
  public List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (JsonNode step : explanation.path("steps")) {
      if (steps.size() < STEPS_MAX) {
        steps.add(
            new Step(
                step.path("name").asString(""),
                step.path("formula").asString(""),
                step.path("value").isNumber() ? step.path("value").asDouble() : null,
                step.path("unit").asString("")));
      }
    }
    return steps;
  }

  /// One number of the computation.
  ///
  /// @param name stable name
  /// @param formula in billing's words
  public record Step(String name, String formula, @Nullable Double value, String unit) {
    private static final Map<String, String> KEYS =
        Map.ofEntries(
            Map.entry("throughput", "throughput"),
            Map.entry("served", "served"),
            Map.entry("room", "room"),
            Map.entry("offered", "offered"),
            Map.entry("time", "time"),
            Map.entry("share", "share"),
            Map.entry("x/x_ref", "xref"),
            Map.entry("d/d_ref", "dref"),
            Map.entry("m", "marginalx"),
            Map.entry("\u222bm", "integralx"),
            Map.entry("n", "marginald"),
            Map.entry("\u222bn", "integrald"),
            Map.entry("M", "areax"),
            Map.entry("N", "aread"),
            Map.entry("g", "loss"),
            Map.entry("U", "utility"),
            Map.entry("dU/dx", "slopex"),
            Map.entry("dU/dd", "sloped"),
            Map.entry("p", "price"),
            Map.entry("V", "units"),
            Map.entry("priced", "priced"),
            Map.entry("U served", "received"),
            Map.entry("utility", "received.total"),
            Map.entry("cap", "cap"),
            Map.entry("carried", "carried"),
            Map.entry("charge", "charge"),
            Map.entry("discounted bytes", "discounted"),
            Map.entry("discount and reward", "gift"),
            Map.entry("discount", "discount"),
            Map.entry("access fee", "fee"),
            Map.entry("surcharge", "surcharge"),
            Map.entry("refund", "refund"),
            Map.entry("net", "net"));

    /// The end of the text's key, or null for a step that the pages have no words for.
    public @Nullable String key() {
      return KEYS.get(name);
    }
  }
}
