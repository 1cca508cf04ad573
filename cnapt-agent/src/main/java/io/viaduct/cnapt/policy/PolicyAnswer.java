package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.FlowIdentity;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The answer of `cnapt policy test`.
///
/// @param flow the flow, for a person
/// @param line place of the line that decides
/// @param rule criteria of this line
/// @param method method of this line
/// @param step the part of the method that applies at this age
/// @param mode use of the paths: `none`, `one`, `copies`, `spread`, `refused` if no SNAPT meets the
///   class, or `unknown` without a running agent
/// @param paths those that its packets take; those of the device's packets, if each end selects one
///   by its own rates
/// @param down those that the SNAPT's packets take, if each end selects one by its own rates; empty
///   otherwise, and if the other end does not tell its rates
/// @param eachEnd whether each end selects the path of its packets by its own rates
/// @param snapt the SNAPT that the flow has or would have; empty if it is not known
/// @param snaptWhy the reason, with its inputs; empty if there is no choice
/// @param considered all paths to this SNAPT
/// @param source origin of the paths
public record PolicyAnswer(
    String flow,
    String application,
    String serviceClass,
    String line,
    String rule,
    String method,
    String step,
    String mode,
    List<PathStatus> paths,
    List<PathStatus> down,
    boolean eachEnd,
    String snapt,
    String snaptWhy,
    List<PathStatus> considered,
    String source) {

  /// Returns the answer with the present paths of a running agent.
  ///
  /// @param placed the SNAPT of the flow
  /// @param all paths of the agent
  public static PolicyAnswer of(
      FlowQuestion question, Policy policy, PlacedFlow placed, List<PathStatus> all) {
    List<PathStatus> paths =
        all.stream().filter(path -> path.snapt().equals(placed.snapt())).toList();
    PolicyLine line = policy.line(question.facts());
    Decision decision =
        PathEvaluator.decide(
            line,
            question.facts().application().serviceClass(),
            question.age().toNanos(),
            false,
            paths.stream().map(PathStatus::snapshot).toList(),
            PathPreference.OF_THE_MOMENT);
    // A flow that cannot be spread has one path at each end, by rate.
    boolean isInOne = decision.mode() == Decision.Mode.SPREAD && !placed.spreads();
    boolean isRanked =
        decision.mode() == Decision.Mode.ONE
            && decision.step().method() == Method.THROUGHPUT
            && (line.isBuiltIn() || placed.ranksItself());
    boolean eachEnd = !placed.refused() && (isInOne || isRanked);
    boolean isTold = eachEnd && placed.ranksItself() && !placed.snapt().isEmpty();
    return answer(
        question,
        line,
        decision.step(),
        placed.refused() ? "refused" : word(isInOne ? Decision.Mode.ONE : decision.mode()),
        eachEnd
            ? RateRanking.UP.best(paths)
            : placed.refused() ? List.of() : chosen(decision, paths),
        isTold ? RateRanking.DOWN.best(paths) : List.of(),
        eachEnd,
        placed,
        paths,
        "the paths of the running agent at this moment; a running flow may hold on to another one"
            + " for the hold time");
  }

  private static String word(Decision.Mode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  private static List<PathStatus> chosen(Decision decision, List<PathStatus> paths) {
    return decision.paths().stream()
        .flatMap(snapshot -> paths.stream().filter(path -> path.id() == snapshot.id()))
        .toList();
  }

  /// Returns the answer without a running agent.
  ///
  /// @param reason the reason why no paths are known
  public static PolicyAnswer withoutPaths(FlowQuestion question, Policy policy, String reason) {
    PolicyLine line = policy.line(question.facts());
    Step step = line.rule().method().at(question.age().toNanos(), false);
    return answer(
        question,
        line,
        step,
        "unknown",
        List.of(),
        List.of(),
        false,
        new PlacedFlow("", "", false, false, false),
        List.of(),
        "the configuration only, because " + reason);
  }

  private static PolicyAnswer answer(
      FlowQuestion question,
      PolicyLine line,
      Step step,
      String mode,
      List<PathStatus> paths,
      List<PathStatus> down,
      boolean eachEnd,
      PlacedFlow placed,
      List<PathStatus> considered,
      String source) {
    return new PolicyAnswer(
        described(question),
        question.facts().application().name(),
        question.facts().application().serviceClass().name(),
        line.place(),
        line.rule().described(),
        line.rule().method().toString(),
        step.described(),
        mode,
        paths,
        down,
        eachEnd,
        placed.snapt(),
        placed.why(),
        considered,
        source);
  }

  private static String described(FlowQuestion question) {
    FlowIdentity flow = question.facts().flow();
    ProtocolName protocol = new ProtocolName(flow.protocol());
    String local = question.local().getHostAddress();
    String remote = question.facts().remote().getHostAddress();
    return protocol.hasPorts()
        ? "%s %s port %d -> %s port %d"
            .formatted(protocol, local, flow.localPort(), remote, flow.remotePort())
        : "%s %s -> %s".formatted(protocol, local, remote);
  }

  /// Returns the answer for a person.
  public String text() {
    return """
    flow     %s, application %s, class %s
    line     %s: %s
    method   %s
    now      %s
    %s%s
    %sfrom     %s
    """
        .formatted(
            flow,
            application,
            serviceClass,
            line,
            rule,
            method,
            step,
            snapt.isEmpty()
                ? ""
                : "SNAPT    " + snapt + (snaptWhy.isEmpty() ? "" : ": " + snaptWhy) + "\n",
            eachEnd ? bothText() : "path     " + pathText(),
            considered.isEmpty() ? "" : "of       " + joined(considered, "; ") + "\n",
            source);
  }

  private String pathText() {
    return switch (mode) {
      case "unknown" -> "not known";
      case "none" -> "none: no path that the method allows is alive";
      case "refused" -> "none: the flow is refused";
      case "copies" -> "each packet on " + joined(paths, " and on ");
      case "spread" -> "each packet on one of " + joined(paths, ", ");
      default -> joined(paths, ", ");
    };
  }

  private String bothText() {
    return "up       %s\ndown     %s"
        .formatted(
            joined(paths, ", "),
            down.isEmpty()
                ? "not known: the other end selects it by its own rates, and does not tell them"
                : joined(down, ", "));
  }

  private String joined(List<PathStatus> some, String separator) {
    return some.stream().map(this::described).collect(Collectors.joining(separator));
  }

  private String described(PathStatus path) {
    return String.format(
        Locale.ROOT,
        "%s (path %d, %s, %s, %s)",
        path.link(),
        path.id(),
        path.state(),
        path.delayMs() == null
            ? "delay not measured"
            : String.format(Locale.ROOT, "%.1f ms", path.delayMs()),
        eachEnd ? path.ratesText() : path.spareText());
  }
}
