package io.viaduct.billing.snapts;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.SnaptFacts;
import java.time.InstantSource;
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
