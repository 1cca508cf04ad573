package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.service.configuration.ConfigurationFile;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The lines that decide about the distribution of flows; the first match wins. Immutable.
public final class Policy {
  private static final int LINES_MAX = 200;

  private final List<PolicyLine> lines;

  private Policy(List<PolicyLine> lines) {
    this.lines = List.copyOf(lines);
  }

  /// Returns the operator's lines, followed by the built-in ones.
  ///
  /// @param classifier table with the applications that a line may name
  /// @throws IllegalArgumentException if a line names an unknown application or can never decide;
  ///   the message names the line and the reason
  public static Policy of(List<PolicyRule> own, Classifier classifier) {
    if (own.size() > LINES_MAX) {
      throw new IllegalArgumentException(
          "policy must have at most %d lines, got %d".formatted(LINES_MAX, own.size()));
    }
    List<PolicyLine> lines = new ArrayList<>();
    for (PolicyRule rule : own) {
      PolicyLine line = new PolicyLine(lines.size() + 1, false, rule);
      check(line, lines, classifier);
      lines.add(line);
    }
    int number = 0;
    for (PolicyRule rule : ConfigurationFile.defaults(PolicyRules.class).policy()) {
      lines.add(new PolicyLine(++number, true, rule));
    }
    return new Policy(lines);
  }

  // A flow has exactly one application, and the table fixes the application's class. So a line can
  // decide if one of its applications is left to it by all lines before.
  private static void check(PolicyLine line, List<PolicyLine> earlier, Classifier classifier) {
    List<String> known = classifier.names();
    line.rule()
        .applications()
        .ifPresent(list ->
            list.stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                  throw new IllegalArgumentException(
                      "policy: line %d: unknown application '%s'; known: %s"
                          .formatted(line.number(), name, String.join(", ", known)));
                }));
    List<Application> meant =
        classifier.applications().stream().filter(line.rule()::decidesAbout).toList();
    if (meant.isEmpty()) {
      throw new IllegalArgumentException(
          "policy: line %d (%s) can never decide, because no application of it has such a class"
              .formatted(line.number(), line.rule().described()));
    }
    TreeSet<Integer> covering = new TreeSet<>();
    for (Application application : meant) {
      int by = coveredBy(application, line, earlier);
      if (by == 0) {
        return;
      }
      covering.add(by);
    }
    throw new IllegalArgumentException(
        "policy: line %d (%s) can never decide, because line %s before it matches all its flows"
            .formatted(
                line.number(),
                line.rule().described(),
                covering.stream().map(String::valueOf).collect(Collectors.joining(" and line "))));
  }

  private static int coveredBy(Application application, PolicyLine line, List<PolicyLine> earlier) {
    return earlier.stream()
        .filter(
            each -> each.rule().decidesAbout(application) && each.rule().coversHeaders(line.rule()))
        .mapToInt(PolicyLine::number)
        .findFirst()
        .orElse(0);
  }

  /// Returns the line that decides about a flow.
  public PolicyLine line(FlowFacts facts) {
    return lines.stream()
        .filter(line -> line.rule().matches(facts))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no built-in line matches " + facts));
  }

  /// Returns all lines in their order.
  public List<PolicyLine> lines() {
    return lines;
  }
}
