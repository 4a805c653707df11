#pragma once

#include "sim/prices.h"

namespace epwise::sim {

/// The nodes of one expert layer, which schedules move around: A (mixer, router, shared expert), D
/// (dispatch), M (experts) and C (combine), in seconds. Backward nodes hold what is recomputed in
/// front of them.
struct LayerTimes {
  double a_forward = 0;
  double a_data = 0;     // gradient of the input …
  double a_weights = 0;  // … and of the weights
  double m_forward = 0;
  double m_data = 0;
  double m_weights = 0;
  double d_forward = 0;
  double d_backward = 0;
  double c_forward = 0;
  double c_backward = 0;
  double replayed_exchange = 0;  // in front of the backward pass

  double host_a_forward = 0;
  double host_a_backward = 0;
  double host_m_forward = 0;
  double host_m_backward = 0;
  double host_d_forward = 0;
  double host_d_backward = 0;
  double host_c_forward = 0;
  double host_c_backward = 0;
  bool stalls = false;  // the host waits for the sizes of a dispatch
  double stall = 0;     // s that such a wait takes besides

  double compute() const { return a_forward + m_forward + m_data + m_weights + a_data + a_weights; }

  double exchange() const { return d_forward + c_forward + d_backward + c_backward; }
};

/// `mixer`: of the layer's own kind.
LayerTimes layer_times(const StepWork& work,
                       const Piece& mixer,
                       const Constants& constants,
                       const Prices& prices,
                       const Effects& effects);

/// One exchange in either direction, in s.
double priced_exchange(const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
