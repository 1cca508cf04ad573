package io.viaduct.billing.snapts;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/// The owners of SNAPTs over time, at one moment of the database. Removed SNAPTs are among them:
/// their last reports are charged as before.
public final class Ownership {
  private record Since(Instant time, String owner) {}

  private final Map<String, List<Since>> bySnapt;
  private final UnaryOperator<String> otherwise;

  private Ownership(Map<String, List<Since>> bySnapt, UnaryOperator<String> otherwise) {
    this.bySnapt = bySnapt;
    this.otherwise = otherwise;
  }

  /// Reads all owners.
  ///
  /// @param otherwise owner of SNAPTs that were never enrolled
  public static Ownership read(JdbcClient jdbc, UnaryOperator<String> otherwise) {
    Map<String, List<Since>> bySnapt = new HashMap<>();
    jdbc.sql("select snapt_id, since, owner from snapt_owner order by number")
        .query(row -> {
          bySnapt
              .computeIfAbsent(row.getString(1), _ -> new ArrayList<>())
              .add(new Since(row.getTimestamp(2).toInstant(), row.getString(3)));
        });
    return new Ownership(bySnapt, otherwise);
  }

  /// Returns how often an owner was set.
  int changes() {
    return bySnapt.values().stream().mapToInt(List::size).sum();
  }

  /// Returns the same owners, and another one of SNAPTs that were never enrolled.
  Ownership otherwise(UnaryOperator<String> other) {
    return new Ownership(bySnapt, other);
  }

  /// Returns the owner of a SNAPT at a time; for a time before its enrolment the first one.
  public String at(String snapt, Instant time) {
    List<Since> owners = bySnapt.get(snapt);
    if (owners == null) {
      return otherwise.apply(snapt);
    }
    String owner = owners.getFirst().owner();
    for (Since each : owners) {
      if (!each.time().isAfter(time)) {
        owner = each.owner();
      }
    }
    return owner;
  }

  /// Returns the owners of a SNAPT at any moment between two times.
  public Set<String> between(String snapt, Instant from, Instant to) {
    Set<String> owners = new LinkedHashSet<>();
    owners.add(at(snapt, from));
    for (Since each : bySnapt.getOrDefault(snapt, List.of())) {
      if (each.time().isAfter(from) && !each.time().isAfter(to)) {
        owners.add(each.owner());
      }
    }
    return owners;
  }

  /// Returns all owners that these SNAPTs have or have had.
  public Set<String> of(Set<String> snapts) {
    return snapts.stream()
        .flatMap(snapt ->
            bySnapt.containsKey(snapt)
                ? bySnapt.get(snapt).stream().map(Since::owner)
                : Stream.of(otherwise.apply(snapt)))
        .collect(Collectors.toSet());
  }

  /// Returns all owners that enrolled SNAPTs have or have had.
  public Set<String> all() {
    return of(bySnapt.keySet());
  }
}
