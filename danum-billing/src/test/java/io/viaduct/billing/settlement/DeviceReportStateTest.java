package io.viaduct.billing.settlement;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.ledger.Ledger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/// The state machine of devices' reports, in the class, in the database, and on the page.
class DeviceReportStateTest {
  private final JdbcTemplate jdbc = SharedDatabase.jdbc();
  private final TransactionTemplate transaction = SharedDatabase.transaction();

  @Test
  void theDatabaseAllowsExactlyTheTransitionsOfTheStateMachine() {
    String user = "user-" + UUID.randomUUID();
    new Accounts(SharedDatabase.client(), transaction, new Ledger(jdbc), new Passwords(2))
        .open(user, "password", Role.USER, user, Instant.now());
    for (DeviceReportState from : DeviceReportState.values()) {
      for (DeviceReportState to : DeviceReportState.values()) {
        assertThat(moves(user, from, to))
            .as("%s to %s", from, to)
            .isEqualTo(from.next().contains(to));
      }
    }
  }

  private boolean moves(String user, DeviceReportState from, DeviceReportState to) {
    return Boolean.TRUE.equals(
        transaction.execute(status -> {
          status.setRollbackOnly();
          jdbc.update(
              "insert into device_report (digest, envelope, snapt_id, session_id, epoch, sequence, account, device,"
                  + " started_at, ended_at, received_at, clock, bytes, expected_microdenarii, state)"
                  + " values (sha256('x'), 'x', 's', 's', 0, 0, ?, 'd', now(), now(), now(), 'GOOD', 1, 1, ?)",
              user,
              from.name());
          try {
            jdbc.update("update device_report set state = ? where account = ?", to.name(), user);
            return true;
          } catch (DataAccessException e) {
            return false;
          }
        }));
  }

  @Test
  void thePageShowsTheStatesAndTheirTransitions() throws Exception {
    String page = Files.readString(Path.of("../docs/billing-states.md"));
    String section = page.substring(page.indexOf("## A device's report"));
    Map<DeviceReportState, Set<DeviceReportState>> shown = new HashMap<>();
    Matcher row =
        Pattern.compile("^\\| ([A-Z_]+) \\| [^|]* \\| ([A-Z_, –]+) \\|$", Pattern.MULTILINE)
            .matcher(section.substring(0, section.indexOf("\n## ", 1)));
    while (row.find()) {
      shown.put(
          DeviceReportState.valueOf(row.group(1)),
          row.group(2).equals("–")
              ? Set.of()
              : Arrays.stream(row.group(2).split(", "))
                  .map(DeviceReportState::valueOf)
                  .collect(toSet()));
    }
    assertThat(shown)
        .isEqualTo(
            Arrays.stream(DeviceReportState.values())
                .collect(java.util.stream.Collectors.toMap(each -> each, DeviceReportState::next)));
  }

  // 1 MiB is 1 048 576 bytes.
  @ParameterizedTest
  @CsvSource({
    "0, 0, FINAL",
    "1048576, 0, FINAL",
    "1048577, 0, DISCREPANT",
    "0, 1048577, DISCREPANT",
    "100000000, 95000000, FINAL",
    "100000000, 94999999, DISCREPANT",
    "94999999, 100000000, DISCREPANT"
  })
  void aDifferenceAboveFivePercentAndOneMebibyteIsADiscrepancy(
      long snapt, long device, DeviceReportState state) {
    assertThat(DeviceReportState.compared(snapt, device)).isEqualTo(state);
  }
}
