package io.viaduct.testbed.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.deployment.WallClocks;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [FaultsDay] in namespaces of its own, with the packaged programs: an alarm for each fault,
/// recovery without a restart by hand, and the right bill. `viaduct.database-away` sets the seconds
/// that the database is away, and `viaduct.clocks=all` sets each clock both ways.
class FaultsLabIT {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));

  private static String said = "";

  @BeforeAll
  static void run(@TempDir Path directory) throws Exception {
    // The whole suite may take an hour, and nearly does.
    assumeTrue(Boolean.getBoolean("viaduct.faults"), "two minutes long: -Dviaduct.faults=true");
    said =
        UnsharedRun.of(
            FaultsDay.class,
            "faults",
            directory,
            Map.of(
                FaultsDay.AWAY,
                System.getProperty("viaduct.database-away", "10"),
                FaultsDay.CLOCKS,
                System.getProperty("viaduct.clocks", "")));
    System.out.println(said);
  }

  private static void alarmAndRecovery(String fault) {
    assertThat(said)
        .contains(fault + ", alarm after ")
        .contains(fault + ", recovered after ")
        .contains(fault + ", carried after ");
  }

  @Test
  void aDatabaseThatIsAwayRaisesAlarmsAndComesBackByItself() {
    alarmAndRecovery("database away");
    assertThat(said).contains("database away, billing not ready, alarm after ");
  }

  @Test
  void fullDisksRaiseAlarmsAndServiceGoesOnWhenTheyAreFree() {
    alarmAndRecovery(Fault.SNAPT_2_DISK_FULL.toString());
    alarmAndRecovery(Fault.DATABASE_DISK_FULL.toString());
  }

  @Test
  void clocksThatAreSetByAnHourRaiseAlarmsAndAreForgottenWhenTheyAreRight() throws Exception {
    assumeTrue(WallClocks.find(ROOT).isPresent(), "libfaketime is missing: no clock can be set");
    alarmAndRecovery("clock of snapt-1 +3600 s");
    alarmAndRecovery("clock of cnapt-2 -3600 s");
    alarmAndRecovery("clock of danum-billing -3600 s");
    alarmAndRecovery("clock of ims-bridge +3600 s");
  }

  @Test
  void theBillIsRightAfterAllOfThem() {
    assertThat(said)
        .contains("bill: ok")
        .contains("charges with a wrong time: 0")
        .contains("restarts: \n");
  }
}
