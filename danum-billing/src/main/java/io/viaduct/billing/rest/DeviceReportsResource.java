package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.DeviceReportList;
import io.viaduct.billing.settlement.DeviceReportList.StoredReport;
import io.viaduct.billing.settlement.DeviceReportState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves the reports of devices (ADR 0062): those of all accounts to operators, those of an
/// account to its user.
@RestController
class DeviceReportsResource {
  private final Accounts accounts;
  private final DeviceReportList reports;

  DeviceReportsResource(Accounts accounts, DeviceReportList reports) {
    this.accounts = accounts;
    this.reports = reports;
  }

  record DeviceReportView(
      String id,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account,
      String device,
      Instant start,
      Instant end,
      Instant receivedAt,
      String bytes,
      String expectedMicrodenarii,
      String state) {
    static DeviceReportView of(StoredReport report) {
      return new DeviceReportView(
          Long.toString(report.id()),
          report.key().snapt(),
          report.key().session(),
          report.key().epoch(),
          report.key().sequence(),
          report.account(),
          report.device(),
          report.startedAt(),
          report.endedAt(),
          report.receivedAt(),
          Long.toString(report.bytes()),
          report.expected().toString(),
          report.state().word());
    }
  }

  record DeviceReports(List<DeviceReportView> deviceReports, @Nullable String next) {}

  /// @param provisional number of reports that are not charged, because the SNAPT's may still come
  /// @param expectedMicrodenarii what they are expected to cost together
  record AccountDeviceReports(
      long provisional,
      String expectedMicrodenarii,
      List<DeviceReportView> deviceReports,
      @Nullable String next) {}

  @Refuses(ProblemType.FORBIDDEN)
  @GetMapping("/api/v1/reports/devices")
  @Tag(name = "operation")
  @Operation(
      summary =
          "Reports of devices, latest first; by default those that no report of the SNAPT has answered",
      operationId = "listDeviceReports")
  DeviceReports list(
      @RequestParam(defaultValue = "") String state,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    Page<DeviceReportView> page =
        page(Page.filter("account", account), Page.filter("snapt", snapt), state, cursor, limit);
    return new DeviceReports(page.items(), page.next());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/device-reports")
  @Tag(name = "charges")
  @Operation(
      summary =
          "Reports of an account's devices, latest first, and what those that are not charged yet"
              + " will cost; by default those that no report of the SNAPT has answered",
      operationId = "listDeviceReportsOfAccount")
  AccountDeviceReports ofAccount(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    DeviceReportList.Expected expected = reports.expected(id);
    Page<DeviceReportView> page = page(id, "", state, cursor, limit);
    return new AccountDeviceReports(
        expected.reports(), expected.expected().toString(), page.items(), page.next());
  }

  private Page<DeviceReportView> page(
      String account, String snapt, String state, @Nullable String cursor, int limit) {
    DeviceReportList.Filter filter =
        new DeviceReportList.Filter(
            account,
            snapt,
            ChargeFilter.choice(
                "state", state, DeviceReportState.values(), DeviceReportState::word));
    return Page.byNumber(
            cursor, limit, (before, rows) -> reports.page(filter, before, rows), StoredReport::id)
        .as(DeviceReportView::of);
  }
}
