package io.viaduct.cnapt.egress;

import io.netty.handler.codec.http.HttpStatusClass;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Asks a page of the Internet by HTTP. A captive portal answers in its place: with a redirection
/// (RFC 9110 15.4), with 511 (RFC 6585), or with a page of its own. Blocking.
final class PortalProbe {
  /// Most redirections that are followed, that of the page of the Internet included.
  static final int REDIRECTIONS_MAX = 5;

  private static final int OK = 200;
  private static final int NO_CONTENT = 204;
  private static final int AUTHENTICATION_REQUIRED = 511;

  private final PageRequest request;

  PortalProbe(PageRequest request) {
    this.request = request;
  }

  /// Asks a page once.
  PortalFinding probe(URI page) {
    try {
      return judge(page, request.ask(page, address(page), null));
    } catch (IOException e) {
      return new PortalFinding.Unknown(String.valueOf(e.getMessage()));
    }
  }

  /// Asks a page once by a link.
  PortalFinding probe(URI page, SilentLink by) {
    try {
      @Nullable InetAddress host = addressFor(page, by);
      return host == null
          ? new PortalFinding.Unknown(by.name() + " has no address of the page's family")
          : judge(page, request.ask(page, host, by));
    } catch (IOException e) {
      return new PortalFinding.Unknown(String.valueOf(e.getMessage()));
    }
  }

  /// Follows the redirections of a captive portal, as a browser will. A page without one ends the
  /// way, and so does one that leads to this host itself.
  PortalWay follow(URI portal) {
    List<URI> pages = new ArrayList<>(List.of(portal));
    try {
      URI at = portal;
      InetAddress host = address(at);
      while (pages.size() < REDIRECTIONS_MAX) {
        PageRequest.Answer answer = request.ask(at, host, null);
        if (!isRedirection(answer)
            || !(redirected(at, answer.location()) instanceof PortalFinding.Portal(URI next))
            || pages.contains(next)) {
          break;
        }
        InetAddress nextHost = address(next);
        if (nextHost.isLoopbackAddress() && !host.isLoopbackAddress()) {
          break; // a network must not make the agent ask servers of this host
        }
        pages.add(next);
        at = next;
        host = nextHost;
      }
      return new PortalWay(pages, true);
    } catch (IOException _) {
      return new PortalWay(pages, false);
    }
  }

  private static InetAddress address(URI page) throws IOException {
    return InetAddress.getByName(page.getHost());
  }

  private static @Nullable InetAddress addressFor(URI page, SilentLink by) throws IOException {
    return Arrays.stream(InetAddress.getAllByName(page.getHost()))
        .filter(by::reaches)
        .findFirst()
        .orElse(null);
  }

  private static PortalFinding judge(URI page, PageRequest.Answer answer) {
    if (answer.status() == NO_CONTENT) {
      return new PortalFinding.Open();
    }
    if (isRedirection(answer)) {
      URI target = target(page, answer.location());
      return target != null
              && "https".equals(target.getScheme())
              && page.getHost().equals(target.getHost())
          ? new PortalFinding.Unknown("the host itself answered: it wants TLS")
          : redirected(page, answer.location());
    }
    return answer.status() == OK || answer.status() == AUTHENTICATION_REQUIRED
        ? new PortalFinding.Portal(page)
        : new PortalFinding.Unknown("the page answered " + answer.status());
  }

  private static boolean isRedirection(PageRequest.Answer answer) {
    return HttpStatusClass.valueOf(answer.status()) == HttpStatusClass.REDIRECTION;
  }

  private static PortalFinding redirected(URI page, String location) {
    URI target = target(page, location);
    if (target == null) {
      return new PortalFinding.Unknown("a redirection to no address");
    }
    boolean isWeb = "http".equals(target.getScheme()) || "https".equals(target.getScheme());
    return isWeb && target.getHost() != null
        ? new PortalFinding.Portal(target)
        : new PortalFinding.Unknown("a redirection to no page of the web");
  }

  private static @Nullable URI target(URI page, String location) {
    try {
      return page.resolve(location);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }
}
