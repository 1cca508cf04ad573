package io.viaduct.snapt.credit;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.UsedUnits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The quota of one application in one class, and what the session has used of it. Bytes and times
/// are totals of the session: of all reports, and of the open interval. Owned by the session's
/// event loop.
final class Quota {
  /// Least time over which a rate is measured.
  private static final long RATE_NS = 250_000_000;

  private final String application;
  private final ServiceClass serviceClass;
  private long closedBytes;
  private long closedFlowMs;
  private long openBytes;
  private long openFlowMs;
  private final List<FlowState> flows = new ArrayList<>();
  private boolean hasFlowless;
  private boolean held;

  private long grantedBytes;
  private long halfBytes;
  private long halfNs;
  private long bytesAtGrant;
  private long voidNs;
  private boolean granted;
  private boolean last;
  private long unpaidSinceNs;
  private boolean unpaid;
  private long askedBytes;
  private boolean isToldActive;
  private boolean isUnanswered; // billing has not answered what was told last
  private boolean isLost; // and will not
  private boolean isAskedBack;
  private boolean wasWanted;
  private long againNs;
  private boolean mustWait;

  private double bytesPerSecond;
  private long rateFromBytes;
  private long rateFromNs;

  Quota(String application, ServiceClass serviceClass) {
    this.application = application;
    this.serviceClass = serviceClass;
  }

  ServiceClass serviceClass() {
    return serviceClass;
  }

  /// Returns whether something is carried for the application now: a flow is open, or packets
  /// without flow have passed in the open interval.
  boolean isActive() {
    return hasFlowless || !flows.isEmpty();
  }

  // --- use

  /// Forgets the use of the open interval, before it is counted anew.
  void recount() {
    openBytes = 0;
    openFlowMs = 0;
    flows.clear();
    hasFlowless = false;
  }

  /// Counts a flow of the open interval that has ended.
  void count(long bytes, long flowMs) {
    openBytes += bytes;
    openFlowMs += flowMs;
  }

  /// Counts a flow that is open.
  void count(FlowState flow, long bytes, long flowMs) {
    count(bytes, flowMs);
    flows.add(flow);
  }

  /// Counts the packets without flow.
  void countFlowless(long bytes, long flowMs) {
    count(bytes, flowMs);
    hasFlowless = true;
  }

  boolean hasOpenUse() {
    return openBytes > 0;
  }

  /// Adds the line of a flow in a report. The open interval has ended.
  void close(long bytes, long flowMs) {
    closedBytes += bytes;
    closedFlowMs += flowMs;
  }

  long totalBytes() {
    return closedBytes + openBytes;
  }

  /// Measures the present rate. Called at each check.
  void measure(long nowNs) {
    long sinceNs = nowNs - rateFromNs;
    if (rateFromNs == 0 || sinceNs >= RATE_NS) {
      bytesPerSecond = Math.max(0, totalBytes() - rateFromBytes) * 1e9 / sinceNs;
      rateFromBytes = totalBytes();
      rateFromNs = nowNs;
    }
  }

  // --- quota

  /// Takes a grant.
  ///
  /// @param sinceNs time from which the validity counts
  /// @param againNs earliest time to ask again if the grant is the last one and leaves nothing
  void grant(GrantedUnits grant, long sinceNs, long nowNs, long againNs) {
    granted = true;
    last = grant.getFinal();
    grantedBytes = grant.getTotalBytes();
    bytesAtGrant = totalBytes();
    halfBytes = bytesAtGrant + Math.max(0, grantedBytes - bytesAtGrant) / 2;
    long validityNs = TimeUnit.MILLISECONDS.toNanos(Math.max(0, grant.getValidityMs()));
    voidNs = sinceNs + validityNs;
    halfNs = sinceNs + validityNs / 2;
    wait(last && !isPaid(nowNs), againNs);
  }

  /// Forgets the grant: billing has replaced all grants, without this one.
  void forget() {
    granted = false;
    last = false;
    mustWait = false;
  }

  private void wait(boolean isWaiting, long untilNs) {
    mustWait = isWaiting;
    againNs = untilNs;
  }

  /// Returns whether the next byte is paid for.
  boolean isPaid(long nowNs) {
    return granted && totalBytes() < grantedBytes && nowNs - voidNs < 0;
  }

  /// Returns the bytes that may still be carried; 0 if none.
  long remainingBytes(long nowNs) {
    return isPaid(nowNs) ? grantedBytes - totalBytes() : 0;
  }

  /// Returns whether billing has said that no more credit stands behind the grant.
  boolean isLast() {
    return last;
  }

  /// Returns whether half of the last grant is used: its use should be charged, because that costs
  /// less than what is reserved for it, and frees credit.
  boolean isShort() {
    return granted && last && totalBytes() >= halfBytes;
  }

  /// Returns the time for which the application has needed a grant and had none, in ns.
  long unpaidNs(long nowNs) {
    if (isPaid(nowNs) || !isWanted()) {
      unpaid = false;
      return 0;
    }
    if (!unpaid) {
      unpaid = true;
      unpaidSinceNs = nowNs;
    }
    return nowNs - unpaidSinceNs;
  }

  /// Returns whether a grant would be used. An application that carries nothing lets its grant
  /// become void; of one that is refused nothing is counted, so it wants a grant as long as it
  /// lasts.
  boolean isWanted() {
    return isActive() && (!granted || last || held || totalBytes() > bytesAtGrant);
  }

  boolean isHeld() {
    return held;
  }

  /// Refuses the packets of all flows of the application, or lets them pass again.
  void hold(boolean refused) {
    held = refused;
    for (int i = 0; i < flows.size(); i++) {
      flows.get(i).hold(refused);
    }
  }

  /// Returns whether packets without flow belong to this application.
  boolean hasFlowless() {
    return hasFlowless;
  }

  /// Returns whether it is time to ask for a grant: half of the bytes or of the time has passed. An
  /// application that has ended tells its last use by then: billing releases a grant that lapses,
  /// and would give the credit for that use once more. The use of a request that was lost is told
  /// again at once.
  boolean isNeeded(long nowNs) {
    if (isLost) {
      return true;
    }
    if (isToldActive && !isActive()) {
      return granted && nowNs - halfNs >= 0;
    }
    if (!isWanted() || mustWait && nowNs - againNs < 0) {
      return false;
    }
    return !isPaid(nowNs) || totalBytes() >= halfBytes || nowNs - halfNs >= 0;
  }

  /// Lets the next request tell the use, so that the rest of the grant is given back. Call it
  /// before the next grant, which may come with the order.
  void giveBack() {
    isAskedBack = granted;
    wasWanted = isWanted();
  }

  /// Returns whether the use has changed since it was told to billing, or the last flow has ended,
  /// or the grant is asked back, or the request that told it was lost.
  boolean isUntold() {
    return totalBytes() != askedBytes || isToldActive && !isActive() || isAskedBack || isLost;
  }

  /// Notes that billing knows what was told.
  void answered() {
    isUnanswered = false;
  }

  /// Notes that billing may not know what was told, unless it has answered.
  void lost() {
    isLost |= isUnanswered;
  }

  /// Returns the use for a request. Without a flow it releases the grant, whether the answer
  /// arrives or not. An application that carries nothing, and whose grant is asked back, names
  /// none.
  UsedUnits tell() {
    askedBytes = totalBytes();
    isToldActive = isActive() && (!isAskedBack || wasWanted || isWanted());
    isAskedBack = false;
    isUnanswered = true;
    isLost = false;
    int open = isToldActive ? flows.size() + (hasFlowless ? 1 : 0) : 0;
    if (!isToldActive) {
      forget();
    }
    return UsedUnits.newBuilder()
        .setApplication(application)
        .setServiceClassValue(serviceClass.ordinal() + 1)
        .setTotalBytes(Math.max(0, totalBytes()))
        .setTotalFlowMs(closedFlowMs + openFlowMs)
        .setBytesPerSecond(bytesPerSecond)
        .setFlows(open)
        .build();
  }
}
