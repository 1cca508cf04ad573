package io.viaduct.cnapt.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// The value of a rule's key `method`: `METHOD [then METHOD after T s]… [then METHOD when full]`.
///
/// @param steps the methods in the order of their times; the one `when full` is the last
public record Distribution(List<Step> steps) {
  private static final int STEPS_MAX = 5;
  private static final String THEN = " then ";

  /// Checks the order.
  public Distribution {
    steps = List.copyOf(steps);
    if (steps.size() > STEPS_MAX) {
      throw new IllegalArgumentException(
          "method must have at most %d steps, got %d".formatted(STEPS_MAX, steps.size()));
    }
    for (int i = 1; i < steps.size(); i++) {
      Step before = steps.get(i - 1);
      if (before.whenFull()) {
        throw new IllegalArgumentException(
            "'%s' must be the last step of the method".formatted(before));
      }
      Duration after = steps.get(i).after();
      if (!steps.get(i).whenFull() && after.compareTo(before.after()) <= 0) {
        throw new IllegalArgumentException(
            "the times behind 'after' must grow from step to step, got %d ms behind %d ms"
                .formatted(after.toMillis(), before.after().toMillis()));
      }
      refuseWithoutEffect(steps, i);
    }
  }

  // The step when full replaces all others, a step by time the one before.
  private static void refuseWithoutEffect(List<Step> steps, int at) {
    Step step = steps.get(at);
    List<Step> replaced = steps.subList(step.whenFull() ? 0 : at - 1, at);
    if (replaced.stream().allMatch(each -> each.described().equals(step.described()))) {
      throw new IllegalArgumentException(
          "the step '%s' changes nothing, because the method is '%s' before it: leave it out"
              .formatted(step, step.described()));
    }
  }

  /// Parses a value of the configuration.
  public static Distribution of(String text) {
    List<String> parts = List.of(text.strip().replaceAll("\\s+", " ").split(THEN, -1));
    List<Step> steps = new ArrayList<>();
    steps.add(Step.first(parts.getFirst()));
    parts.stream().skip(1).map(Step::later).forEach(steps::add);
    return new Distribution(steps);
  }

  /// Returns the step for a flow.
  ///
  /// @param ageNs age of the flow
  /// @param isFull true if one path is not enough for the flow
  public Step at(long ageNs, boolean isFull) {
    Step chosen = steps.getFirst();
    for (Step step : steps) {
      if (step.whenFull() ? isFull : step.after().toNanos() <= ageNs) {
        chosen = step;
      }
    }
    return chosen;
  }

  /// Returns true if a step depends on the flow's rate, which the owner must then measure.
  public boolean hasStepWhenFull() {
    return steps.getLast().whenFull();
  }

  @Override
  public String toString() {
    return steps.stream().map(Step::toString).collect(Collectors.joining(THEN));
  }
}
