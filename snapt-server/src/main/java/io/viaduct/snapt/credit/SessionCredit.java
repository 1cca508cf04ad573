package io.viaduct.snapt.credit;

import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.snapt.metering.ReportParts;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.snapt.metering.UsageReader;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.CreditNotice.State;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.UsageReport;
import java.util.concurrent.TimeUnit;

/// Credit control of one session (RFC 8506, ADR 0041). It asks billing for quotas of bytes, and
/// holds the flows whose quota is spent. Owned by the session's event loop.
///
/// No packet passes through it, and a check of a session whose quotas suffice allocates next to
/// nothing: each of ten thousand idle sessions is checked twice a second. It counts the use of the
/// flows when half of the smallest quota has passed, twice a second, and at each answer:
///
///     bytes → [#onCarried] → count → ask ⇄ [CreditLine] ⇄ bridge ⇄ billing
///                                  → decide → [FlowState#hold]
///
/// An application without a quota is carried for at most [#UNPAID_NS] while billing is asked. If
/// billing is away, the failure handling of its class decides. If billing has said that no more
/// credit stands behind a quota, the application is held when it is spent.
///
/// When another application of the account waits for credit, billing asks for what is not needed
/// here: the open interval ends, so that its use is charged, and the next request tells all use,
/// which gives the grants back.
///
/// When credit is short, an interval begins with its first use: the time of an interval bounds what
/// can be charged for it, so a quota costs less at its beginning.
public final class SessionCredit {
  /// Least time between two checks that traffic causes.
  private static final long CHECK_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final long CHECK_BYTES = 16 << 10;
  private static final long UNPAID_NS = TimeUnit.SECONDS.toNanos(1);

  /// Time until billing is asked again for what it has refused; a push comes earlier.
  private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(5);

  /// Least length of an interval that ends because credit is short.
  private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(250);

  private final String session;
  private final CreditLine line;
  private final SessionMeter meter;
  private final Host host;
  private final FailureRules failure;
  private final CreditDialog dialog;
  private final Quotas quotas = new Quotas();
  private final UsageReader counting = new Counting();
  private CreditResult result = CreditResult.SUCCESS;
  private boolean isLow;
  private long availableMicrodenarii;
  private State state = State.SUFFICIENT;
  private long closedMs;
  private long checkedNs;
  private long shortSinceNs;
  private long checkAtBytes;
  private boolean isAskedBack; // until the next request
  private boolean isChargedSoon; // until the open interval ends

  /// Time for which flows must be refused until the device is told that its credit is used up.
  private static final long SHORT_NS = TimeUnit.SECONDS.toNanos(1);

  /// The session, as its credit control needs it.
  public interface Host {
    /// Returns the inner bytes that the session has carried, in both directions.
    long carriedBytes();

    ShownToken token();

    /// Refuses packets of no flow, or lets them pass again.
    void holdFlowless(boolean refused);

    /// Ends the open interval, so that its use is charged soon.
    void endInterval();

    /// Lets the open interval begin now, if it has no use.
    void beginIntervalAnew();

    /// Tells the device that its credit has changed.
    void creditChanged(CreditNotice notice);
  }

  /// @param listener takes answers on any thread, and passes them to [#onAnswer] and [#onLine] on
  ///   the session's loop
  public SessionCredit(
      String session,
      CreditLine line,
      CreditLine.Listener listener,
      SessionMeter meter,
      Host host,
      long nowNs) {
    this.session = session;
    this.line = line;
    this.meter = meter;
    this.host = host;
    failure = line.failureRules();
    checkedNs = nowNs;
    shortSinceNs = nowNs;
    dialog = new CreditDialog(session, line, quotas, line.begin(session, listener), nowNs);
  }

  /// Returns what the device knows about its credit.
  public State state() {
    return state;
  }

  /// Holds a new flow until the next check if credit is known to be short.
  public void onOpened(FlowState flow) {
    checkAtBytes = 0;
    flow.hold(result != CreditResult.SUCCESS && !line.free().has(flow));
  }

  /// Notes that packets were carried. Called after each batch; mostly one comparison.
  public void onCarried(long nowNs) {
    if (host.carriedBytes() >= checkAtBytes && nowNs - checkedNs >= CHECK_NS) {
      check(nowNs);
    }
  }

  /// Lets time pass. Called twice a second.
  public void onVisit(long nowNs) {
    check(nowNs);
  }

  /// Notes that the stream to the bridge has opened or closed.
  public void onLine(boolean isOpen, long nowNs) {
    dialog.line(isOpen, nowNs);
    check(nowNs);
  }

  /// Adds a report of the session to the totals: its interval has ended.
  public void onReport(UsageReport report) {
    isChargedSoon = false;
    report.getFlowsList().forEach(quotas::close);
    quotas.all().forEach(Quota::recount);
    closedMs += ReportParts.count(report) * (report.getEndMs() - report.getStartMs());
    checkAtBytes = 0;
  }

  /// Takes an answer to the last request, or a push.
  public void onAnswer(CreditAnswer answer, long nowNs) {
    failure.take(answer.getFailureList());
    count(nowNs);
    if (dialog.takes(answer, nowNs)) {
      grant(answer, nowNs);
    }
    act(nowNs);
  }

  private void grant(CreditAnswer answer, long nowNs) {
    boolean isPush = answer.getNumber() == 0;
    if (answer.getReauthorise()) {
      isAskedBack = true;
      quotas.giveBack();
    }
    isChargedSoon |= answer.getReauthorise();
    result = answer.getResult();
    isLow = answer.getLowCredit();
    availableMicrodenarii = answer.getAvailableMicrodenarii();
    if (isBlocked()) {
      dialog.waitUntil(nowNs + AGAIN_NS);
    }
    if (isPush) {
      quotas.all().forEach(Quota::forget);
    }
    for (GrantedUnits each : answer.getGrantedList()) {
      Quota quota = quotas.find(each.getApplication(), each.getServiceClassValue());
      if (quota != null) {
        quota.grant(each, isPush ? nowNs : dialog.askedNs(), nowNs, nowNs + AGAIN_NS);
      }
    }
  }

  private boolean isBlocked() {
    return result == CreditResult.ACCOUNT_BLOCKED || result == CreditResult.UNKNOWN_ACCOUNT;
  }

  private void check(long nowNs) {
    count(nowNs);
    act(nowNs);
  }

  /// Asks for what is needed, and holds what is not paid, as counted just now.
  private void act(long nowNs) {
    if (dialog.mayAsk(nowNs) && (isAskedBack || isAnyNeeded(nowNs))) {
      isAskedBack = false;
      dialog.ask(CreditRequestType.UPDATE, host.token(), totalMs(nowNs), nowNs);
    }
    boolean isShort = decide(nowNs);
    checkedNs = nowNs;
    tell(nowNs);
    isChargedSoon &= meter.hasCarried();
    if ((isShort || isChargedSoon) && nowNs - meter.startNs() >= INTERVAL_NS) {
      host.endInterval();
    }
  }

  private boolean isAnyNeeded(long nowNs) {
    for (int i = 0; i < quotas.all().size(); i++) {
      if (quotas.all().get(i).isNeeded(nowNs)) {
        return true;
      }
    }
    return false;
  }

  private long totalMs(long nowNs) {
    return closedMs + TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNs - meter.startNs()));
  }

  private void count(long nowNs) {
    if (isLow || result != CreditResult.SUCCESS) {
      host.beginIntervalAnew();
    }
    quotas.all().forEach(Quota::recount);
    meter.survey(counting, nowNs);
    for (int i = 0; i < quotas.all().size(); i++) {
      quotas.all().get(i).measure(nowNs);
    }
  }

  private final class Counting implements UsageReader {
    @Override
    public void flow(FlowState flow, String application, long bytes, long flowMs, boolean isOpen) {
      Quota quota = quotas.of(application, flow.serviceClass());
      if (isOpen && !line.free().has(flow)) {
        quota.count(flow, bytes, flowMs);
      } else {
        quota.count(bytes, flowMs);
      }
    }

    @Override
    public void flowless(String application, long bytes, long flowMs) {
      quotas.of(application, ServiceClass.HT_HD).countFlowless(bytes, flowMs);
    }
  }

  /// Holds the flows of each application, or lets them pass.
  ///
  /// @return true if credit is short, and the use of the open interval has become much of it
  private boolean decide(long nowNs) {
    boolean isShort = false;
    boolean holdsFlowless = isBlocked();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < quotas.all().size(); i++) {
      Quota quota = quotas.all().get(i);
      boolean isHeld = isHeld(quota, nowNs);
      quota.hold(isHeld);
      holdsFlowless |= isHeld && quota.hasFlowless();
      if (quota.isActive()) {
        isShort |= quota.isShort() && quota.hasOpenUse();
        least = Math.min(least, quota.remainingBytes(nowNs));
      }
    }
    host.holdFlowless(holdsFlowless);
    long untilCheck = least == Long.MAX_VALUE ? 0 : least / 2;
    checkAtBytes = host.carriedBytes() + Math.max(CHECK_BYTES, untilCheck);
    return isShort;
  }

  private boolean isHeld(Quota quota, long nowNs) {
    long unpaidNs = quota.unpaidNs(nowNs);
    if (isBlocked()) {
      return true;
    }
    if (quota.isPaid(nowNs)) {
      return false;
    }
    if (quota.isLast()) {
      return true;
    }
    if (unpaidNs < UNPAID_NS && dialog.isPromising()) {
      return false;
    }
    // If billing answers, traffic outruns what it grants.
    return !dialog.isAway(nowNs) || failure.refuses(quota.serviceClass());
  }

  private void tell(long nowNs) {
    State now = isBlocked() ? State.BLOCKED : lasting(present(), nowNs);
    if (now != state) {
      state = now;
      host.creditChanged(notice());
    }
  }

  // Near zero flows stand for a moment between two grants, until the report of the first one is
  // charged. Credit is told to be used up once that lasts.
  private State lasting(State present, long nowNs) {
    if (present != State.EXHAUSTED && present != State.CAP_REACHED) {
      shortSinceNs = nowNs;
      return present;
    }
    return nowNs - shortSinceNs >= SHORT_NS || state == present ? present : State.LOW;
  }

  private CreditNotice notice() {
    return CreditNotice.newBuilder()
        .setState(state)
        .setAvailableMicrodenarii(availableMicrodenarii)
        .build();
  }

  /// Tells the device its credit once more, unless it is sufficient.
  public void tellAgain() {
    if (state != State.SUFFICIENT) {
      host.creditChanged(notice());
    }
  }

  private State present() {
    boolean isShort = false;
    boolean isRefused = false;
    for (int i = 0; i < quotas.all().size(); i++) {
      Quota quota = quotas.all().get(i);
      isShort |= quota.isHeld() && quota.isLast();
      isRefused |= quota.isHeld() && quota.isActive();
    }
    if (isShort) {
      return result == CreditResult.SPENDING_CAP_REACHED ? State.CAP_REACHED : State.EXHAUSTED;
    }
    if (isRefused) {
      return State.UNKNOWN;
    }
    return isLow || result != CreditResult.SUCCESS ? State.LOW : State.SUFFICIENT;
  }

  /// Tells billing the last totals. Called after the last report.
  public void end(long nowNs) {
    line.end(session);
    if (dialog.hasAsked()) {
      dialog.ask(CreditRequestType.TERMINATION, host.token(), closedMs, nowNs);
    }
  }
}
