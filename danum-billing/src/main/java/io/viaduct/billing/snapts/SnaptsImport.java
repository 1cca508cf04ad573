package io.viaduct.billing.snapts;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.SnaptFacts;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Enrols the SNAPTs that configurations name, each once: a SNAPT that is or was enrolled stays as
/// the operators have set it.
public final class SnaptsImport {
  private static final Logger LOG = LoggerFactory.getLogger(SnaptsImport.class);

  private final Snapts snapts;
  private final InstantSource clock;

  public SnaptsImport(Snapts snapts, InstantSource clock) {
    this.snapts = snapts;
    this.clock = clock;
  }

  /// Enrols the SNAPTs of billing's configuration.
  public void importFrom(BillingConfiguration configuration) {
    if (!configuration.snaptOwners().isEmpty()) {
      LOG.warn(
          "snapt-owners is read for SNAPTs that were never enrolled only, and goes with the next"
              + " version: enrol them with 'denarii snapts enrol', or name them in snapts");
    }
    configuration.snapts().forEach(snapt -> enrol(snapt, "billing's configuration"));
    differences(configuration.snapts(), snapts::owner).forEach(LOG::warn);
  }

  /// Returns a line for each SNAPT whose owner in the configuration is not the one that counts.
  ///
  /// @param ownerOf owner by id of an enrolled SNAPT
  public static List<String> differences(
      List<SnaptFacts> configured, Function<String, Optional<String>> ownerOf) {
    List<String> differences = new ArrayList<>();
    for (SnaptFacts line : configured) {
      ownerOf
          .apply(line.id())
          .filter(owner -> !owner.equals(line.owner()))
          .ifPresent(owner ->
              differences.add(
                  ("snapts: SNAPT %s has the owner %s in the configuration, but is enrolled for %s,"
                          + " who is paid: 'denarii snapts enrol %s --owner %s' changes it, or"
                          + " correct or remove the line")
                      .formatted(line.id(), line.owner(), owner, line.id(), line.owner())));
    }
    return differences;
  }

  /// Enrols a SNAPT that was never enrolled.
  ///
  /// @param source where it is named, for the log
  /// @return whether it is new
  public boolean enrol(SnaptFacts named, String source) {
    boolean isNew = snapts.enrolMissing(named, source, clock.instant());
    if (isNew) {
      LOG.info("SNAPT {} of owner {} was enrolled from {}", named.id(), named.owner(), source);
    }
    return isNew;
  }
}
