#pragma once

namespace epwise::calibrate {

/// Student's t that holds 95 % on both sides, with `degrees` (from 1) of freedom: 12.71, 4.30, …,
/// 1.96.
double student_t95(int degrees);

}  // namespace epwise::calibrate
