package io.viaduct.billing.diameter;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.DiameterSettings;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.ro.RoCredit;
import io.viaduct.billing.ro.RoIds;
import io.viaduct.billing.ro.RoRules;
import io.viaduct.billing.ro.RoStore;
import io.viaduct.diameter.credit.FinalUnit;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.SessionIds;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.service.operations.LabelledCounters;
import java.time.Duration;
import java.time.InstantSource;

/// Begins to ask the operator's charging system for the credit of accounts.
final class CreditClient {
  private static final Duration PERIOD = Duration.ofMillis(250);

  private CreditClient() {}

  /// @return ends it; a request without an answer is sent again after the next start
  static Runnable start(
      BillingConfiguration configuration,
      DiameterNode node,
      RoStore store,
      MeterRegistry registry,
      InstantSource clock) {
    DiameterSettings settings = configuration.diameter();
    DiameterSettings.Ro ro = settings.ro();
    RoCredit credit =
        new RoCredit(
            store,
            new RoRules(MicroDenarii.ofDenarii(ro.chunk()), ro.validity(), ro.idle(), ro.retry()),
            ids(node, new SessionIds(settings.identity(), clock.instant().getEpochSecond())),
            new RoMessages(
                node,
                new SessionParties(
                    Dictionary.standard(),
                    settings.identity(),
                    settings.realm(),
                    ro.realm(),
                    ro.context()),
                ro.ratingGroup(),
                new RoUnits(ro.unit(), ro.currency()),
                LabelledCounters.register(
                    registry,
                    "viaduct_ro_final_units",
                    "Answers of the operator's charging system with the last units of an account,"
                        + " by Final-Unit-Action",
                    "action",
                    FinalUnit.Action.class),
                configuration.sipDomain()),
            Math.max(1, configuration.database().connections() / 4),
            registry,
            clock);
    PeriodicTasks tasks = new PeriodicTasks("ro");
    tasks.every(PERIOD, "credit of the charging system", credit::run);
    return () -> {
      tasks.close();
      credit.close();
    };
  }

  private static RoIds ids(DiameterNode node, SessionIds sessions) {
    return new RoIds() {
      @Override
      public String session() {
        return sessions.take("");
      }

      @Override
      public int endToEnd() {
        return node.takeEndToEnd();
      }
    };
  }
}
