package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.ApplicationFlows;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.HeaderSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds out whether a line of the policy can decide about a flow: it searches for a flow that the
/// line matches, no line before it matches, and the table of applications allows.
///
/// The search is exact. From the flows of the line it subtracts those of each line before, as
/// [HeaderSet]s; the rest falls into parts, which are searched one after the other, so the first
/// flow that is left ends the search. The work is bounded: it is counted in ranges of numbers.
final class PolicyReach {
  /// Bound of the work for one policy, in ranges: about a second.
  private static final long WORK_MAX = 100_000_000;

  private final List<ApplicationFlows> flows;
  private long work;

  PolicyReach(Classifier classifier) {
    // An example without a process is the simpler one.
    flows =
        classifier.flows().stream()
            .sorted(Comparator.comparing(each -> each.process() != null))
            .toList();
  }

  /// A line with the flows that it matches.
  record Matches(PolicyLine line, HeaderSet headers) {
    static Matches of(PolicyLine line) {
      return new Matches(line, line.rule().headers());
    }
  }

  /// Returns a flow that a line decides about, empty if there is none.
  ///
  /// @param before lines whose flows it does not get
  /// @throws IllegalArgumentException if the policy takes too long to check
  Optional<FlowExample> example(Matches line, List<Matches> before) {
    for (ApplicationFlows each : flows) {
      if (line.line().rule().decidesAbout(each.application())) {
        List<HeaderSet> taken =
            Stream.concat(
                    each.without().stream(),
                    before.stream()
                        .filter(other -> other.line().rule().decidesAbout(each.application()))
                        .map(Matches::headers))
                .toList();
        HeaderSet wanted = each.of().and(line.headers());
        for (HeaderSet some : HeaderSet.FLOWS) {
          HeaderSet left = left(wanted.and(some), taken, 0);
          if (left != null) {
            return Optional.of(FlowExample.of(each.application(), each.process(), left));
          }
        }
      }
    }
    return Optional.empty();
  }

  /// Returns the lines that together match all flows of a line. None of them could be left out.
  List<PolicyLine> covering(Matches line, List<Matches> before) {
    List<Matches> needed = new ArrayList<>(before);
    for (int i = before.size() - 1; i >= 0; i--) {
      Matches left = needed.remove(i);
      if (example(line, needed).isPresent()) {
        needed.add(i, left);
      }
    }
    return needed.stream().map(Matches::line).toList();
  }

  /// Returns a part of a set that none of the other sets has, null if there is none.
  ///
  /// @param from index of the first one that is not subtracted yet
  private @Nullable HeaderSet left(HeaderSet set, List<HeaderSet> taken, int from) {
    if (set.isEmpty()) {
      return null;
    }
    int next = from;
    while (next < taken.size() && !meets(set, taken.get(next))) {
      next++;
    }
    if (next == taken.size()) {
      return set;
    }
    for (HeaderSet part : set.minus(taken.get(next))) {
      HeaderSet found = left(part, taken, next + 1);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private boolean meets(HeaderSet set, HeaderSet other) {
    work += set.size() + other.size();
    if (work > WORK_MAX) {
      throw new IllegalArgumentException(
          "policy: the lines overlap in too many ways to check whether each can decide: use fewer"
              + " lines, ports and prefixes, or larger ranges");
    }
    return set.meets(other);
  }
}
