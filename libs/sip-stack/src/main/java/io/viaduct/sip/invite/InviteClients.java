package io.viaduct.sip.invite;

import io.viaduct.sip.FieldText;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.transport.SipSockets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/// The client transactions of the INVITEs that an endpoint has sent. Thread-safe.
public final class InviteClients {
  private final SipSockets sockets;
  private final Timers timers;
  private final Executor tasks;
  private final UnaryOperator<SipResponse> withoutVia;
  private final int limit;
  private final Map<String, InviteClient> byBranch = new ConcurrentHashMap<>();

  /// @param withoutVia removes the topmost Via of a response
  /// @param limit most transactions at a time
  public InviteClients(
      SipSockets sockets,
      Timers timers,
      Executor tasks,
      UnaryOperator<SipResponse> withoutVia,
      int limit) {
    this.sockets = sockets;
    this.timers = timers;
    this.tasks = tasks;
    this.withoutVia = withoutVia;
    this.limit = limit;
  }

  /// Sends an INVITE.
  ///
  /// @param invite with its topmost Via
  public InviteBranch begin(SipRequest invite, SipFlow flow, InviteBranch.Events events) {
    if (byBranch.size() >= limit) {
      events.onFailure(
          new SipException(
              SipException.Reason.OVERLOAD, limit + " INVITEs are open already; try again later"));
      return InviteBranch.NONE;
    }
    String branch = branch(invite.headers().values("Via").getFirst());
    InviteClient client =
        new InviteClient(invite, flow, sockets, timers, events, () -> byBranch.remove(branch));
    byBranch.put(branch, client);
    tasks.execute(client::begin);
    return client;
  }

  /// Takes a response.
  ///
  /// @return false if it answers no INVITE of this endpoint
  public boolean receive(SipResponse response) {
    String method = response.method();
    if (!method.equals("INVITE") && !method.equals("CANCEL")) {
      return false;
    }
    InviteClient client = byBranch.get(branch(response.headers().values("Via").getFirst()));
    if (client == null) {
      return false;
    }
    client.receive(withoutVia.apply(response));
    return true;
  }

  /// Returns the open transactions.
  public int size() {
    return byBranch.size();
  }

  private static String branch(String via) {
    return FieldText.parameters(via, ';').getOrDefault("branch", "");
  }
}
