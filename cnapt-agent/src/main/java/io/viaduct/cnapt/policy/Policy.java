package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.service.configuration.ConfigurationFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The lines that decide about the distribution of flows; the first match wins. Immutable.
public final class Policy {
  private static final int LINES_MAX = 200;

  /// Most applications that a message describes.
  private static final int NAMES_MAX = 3;

  private final List<PolicyLine> lines;
  private final Map<PolicyLine, FlowExample> examples;

  private Policy(List<PolicyLine> lines, Map<PolicyLine, FlowExample> examples) {
    this.lines = List.copyOf(lines);
    this.examples = Map.copyOf(examples);
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
      lines.add(new PolicyLine(lines.size() + 1, false, rule));
    }
    Map<PolicyLine, FlowExample> examples = check(lines, classifier);
    int number = 0;
    for (PolicyRule rule : ConfigurationFile.defaults(PolicyRules.class).policy()) {
      lines.add(new PolicyLine(++number, true, rule));
    }
    return new Policy(lines, examples);
  }

  // A flow has exactly one application, and the table fixes the application's class.
  private static void checkNames(PolicyLine line, Classifier classifier) {
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
    if (classifier.applications().stream().noneMatch(line.rule()::decidesAbout)) {
      throw new IllegalArgumentException(
          "policy: line %d (%s) can never decide, because no application of it has such a class"
              .formatted(line.number(), line.rule().described()));
    }
  }

  private static Map<PolicyLine, FlowExample> check(List<PolicyLine> lines, Classifier classifier) {
    if (lines.isEmpty()) {
      return Map.of(); // as most devices have it: their start does not wait for the table
    }
    PolicyReach reach = new PolicyReach(classifier);
    List<PolicyReach.Matches> earlier = new ArrayList<>();
    Map<PolicyLine, FlowExample> examples = new HashMap<>();
    for (PolicyLine line : lines) {
      checkNames(line, classifier);
      PolicyReach.Matches matches = PolicyReach.Matches.of(line);
      FlowExample example =
          reach
              .example(matches, earlier)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      reach.example(matches, List.of()).isPresent()
                          ? covered(line, reach.covering(matches, earlier))
                          : contradictory(line, classifier)));
      examples.put(line, example);
      earlier.add(matches);
    }
    return examples;
  }

  private static String covered(PolicyLine line, List<PolicyLine> by) {
    String names =
        by.stream().map(each -> "line " + each.number()).collect(Collectors.joining(" and "));
    return "policy: line %d (%s) can never decide, because %s before it %s all its flows: %s"
        .formatted(
            line.number(),
            line.rule().described(),
            names,
            by.size() == 1 ? "matches" : "match",
            by.size() == 1
                ? "put it before that line or delete it"
                : "put it before one of them or delete it");
  }

  private static String contradictory(PolicyLine line, Classifier classifier) {
    List<String> has =
        classifier.applications().stream()
            .filter(line.rule()::decidesAbout)
            .map(each -> each.name() + " (" + classifier.described(each.name()) + ")")
            .toList();
    int shown = Math.min(has.size(), NAMES_MAX);
    return ("policy: line %d (%s) can never decide, because the table of applications gives no such"
            + " flow to %s%s: change the line, or the table (key 'applications')")
        .formatted(
            line.number(),
            line.rule().described(),
            String.join(", ", has.subList(0, shown)),
            shown < has.size() ? " and %d others".formatted(has.size() - shown) : "");
  }

  /// Returns the line that decides about a flow.
  public PolicyLine line(FlowFacts facts) {
    return lines.stream()
        .filter(line -> line.rule().matches(facts))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no built-in line matches " + facts));
  }

  /// Returns a flow that a line of the operator decides about; empty for a built-in line.
  public Optional<FlowExample> example(PolicyLine line) {
    return Optional.ofNullable(examples.get(line));
  }

  /// Returns whether the operator has lines of his own.
  public boolean hasOwnLines() {
    return !lines.getFirst().isBuiltIn();
  }

  /// Returns all lines in their order.
  public List<PolicyLine> lines() {
    return lines;
  }
}
